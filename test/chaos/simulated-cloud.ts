// A simulated cloud that is a process of its own, as a test sees it. It misfires by itself, and all reach it by one way.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Fault, ServedCall } from '../../adapters/openstack/simulator/mod.ts';
import type { Clock } from '../../bus/mod.ts';
import { startProxy } from '../bus/proxy.ts';
import type { Cloud } from './counterparts.ts';

export type CloudRequest =
  | { readonly ask: 'inject'; readonly fault: Fault }
  | { readonly ask: 'clear' }
  | { readonly ask: 'expireTokens' }
  | { readonly ask: 'addUser' | 'setPassword'; readonly name: string; readonly password: string };

export type CloudReport = { readonly port: number } | { readonly served: ServedCall } | { readonly done: number };

export interface SimulatedCloudDeps {
  clock: Clock;
  /** Told of every call that changes something, in the order in which the cloud did them. */
  onServed: (call: ServedCall) => void;
}

const PROGRAM = fileURLToPath(new URL('./cloud.process.ts', import.meta.url));
const TOKEN_LIFETIME_MS = 20_000;
const LATENCY_MS = 30;
const CLOUD_NAME = 'openstack';
const POD_USER = 'admin';
/** Whose password nobody changes: the test's own user. */
const OWN_USER = 'auditor';

export async function simulatedCloud({ clock, onServed }: SimulatedCloudDeps): Promise<Cloud> {
  let port = 0;
  const way = await startProxy('127.0.0.1', () => port);
  const publicOrigin = `http://127.0.0.1:${way.port}`;
  // `advanced`: faults hold regular expressions.
  const options = [publicOrigin, TOKEN_LIFETIME_MS, LATENCY_MS].map(String);
  const child = fork(PROGRAM, options, { serialization: 'advanced' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ask = asking(child);
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the simulated cloud has ended')));
    child.on('message', (report: CloudReport) => {
      if ('served' in report) onServed(report.served);
      else if ('port' in report) {
        port = report.port;
        resolve();
      }
    });
  });
  const ownPassword = `own-${clock.random().toString(36).slice(2)}`;
  await ask({ ask: 'addUser', name: OWN_USER, password: ownPassword });
  const cloudsYaml = (username: string, password: string): string =>
    JSON.stringify({
      clouds: {
        [CLOUD_NAME]: {
          auth: {
            auth_url: `${publicOrigin}/identity/v3`,
            username,
            password,
            project_name: 'admin',
            user_domain_name: 'Default',
            project_domain_name: 'Default',
          },
          region_name: 'RegionOne',
        },
      },
    });
  return {
    name: 'the simulated cloud',
    way,
    ownCloudsYaml: cloudsYaml(OWN_USER, ownPassword),
    cloudName: CLOUD_NAME,
    podUser: POD_USER,
    cloudsYaml: (password) => cloudsYaml(POD_USER, password),
    inject: (fault) => ask({ ask: 'inject', fault }),
    clear: () => ask({ ask: 'clear' }),
    expireTokens: () => ask({ ask: 'expireTokens' }),
    async setPassword(password) {
      await ask({ ask: 'setPassword', name: POD_USER, password });
      await ask({ ask: 'expireTokens' });
    },
    async close() {
      await way.close();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** What was served before an answer is told before it. */
function asking(child: ChildProcess): (request: CloudRequest) => Promise<void> {
  const asked = new Map<number, () => void>();
  let lastId = 0;
  child.on('message', (report: CloudReport) => {
    if (!('done' in report)) return;
    asked.get(report.done)?.();
    asked.delete(report.done);
  });
  return (request) => {
    const id = ++lastId;
    return new Promise((resolve) => {
      asked.set(id, resolve);
      child.send({ id, request });
    });
  };
}
