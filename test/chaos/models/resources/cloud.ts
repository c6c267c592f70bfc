// A cloud, simulated or real, that all pods reach by one way.
import type { Fault, ServedCall } from '../../../../adapters/simulated/openstack/mod.ts';
import type { TcpProxy } from '../../../bus/proxy.ts';

export interface Cloud {
  /** For people. */
  readonly name: string;
  /** Of all pods. */
  readonly way: TcpProxy;
  /** Of the test itself. */
  readonly ownCloudsYaml: string;
  readonly cloudName: string;
  /** Where the pods log in. */
  readonly authUrl: string;
  /** Whom the pods log in as. */
  readonly podUser: string;
  /** Of the pods' user. */
  cloudsYaml(password: string): string;
  inject(fault: Fault): Promise<void>;
  /** Ends what was injected. */
  clear(): Promise<void>;
  expireTokens(): Promise<void>;
  /** Of the pods' user. */
  setPassword(password: string): Promise<void>;
  close(): Promise<void>;
}

/** Told of every call that changes something. */
export interface CloudListener {
  /** A call is on its way to a real cloud. */
  onBegun: (call: Pick<ServedCall, 'method' | 'path' | 'body'>) => void;
  /** With status 0: the cloud broke off, and nobody knows whether it was done. */
  onServed: (call: ServedCall) => void;
}
