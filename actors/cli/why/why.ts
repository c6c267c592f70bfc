// `troupe why <kind>/<name>`: what an object waits for, down to the root cause.
import { join } from 'node:path';
import type { ConfiguredAdapter } from '../../../adapters/adapter.ts';
import { kubeClient, objects } from '../../../adapters/kubernetes/mod.ts';
import { type Address, type Clock, TerminalError } from '../../../bus/mod.ts';
import { withoutOperations } from '../../effects/operations-service.ts';
import { type Registry, registry } from '../../object/registry.ts';
import type { Config } from '../../process/config.ts';
import { USER_AGENT } from '../../process/version.ts';
import type { Ink } from '../demo/view.ts';
import { causesOf, labelOf } from './findings.ts';
import { Inquiry } from './inquiry.ts';
import { whyText } from './text.ts';

export interface WhyDeps {
  config: Pick<Config, 'kubeconfig' | 'inCluster'> & { readonly context?: string | undefined };
  adapters: readonly ConfiguredAdapter[];
  clock: Clock;
  /** `<kind>/<name>`, or the two apart. */
  names: readonly string[];
  /** That of the kubeconfig's context unless given. */
  namespace: string | undefined;
  output: string | undefined;
  home: string | undefined;
  out: NodeJS.WritableStream;
  ink: Ink;
}

/**
 * @returns 0 when the object waits for nothing, 1 when it does, or when something is wrong with it
 * @throws {TerminalError} what is asked makes no sense; as `KubeClient.call`
 */
export async function why({
  config,
  adapters,
  clock,
  names,
  namespace,
  output = 'text',
  home,
  out,
  ink,
}: WhyDeps): Promise<number> {
  if (output !== 'text' && output !== 'json') throw new TerminalError(`--output must be text or json; got '${output}'`);
  const known = registry(
    adapters.flatMap((adapter) => withoutOperations(adapter)),
    adapters.flatMap((adapter) => adapter.followed ?? []),
  );
  const asked = askedFor(known, names);
  const { context, inCluster } = config;
  const kubeconfig = config.kubeconfig ?? (inCluster === undefined ? join(home ?? '', '.kube', 'config') : undefined);
  const client = kubeClient({ clock, kubeconfig, context, inCluster, userAgent: USER_AGENT });
  try {
    const address: Address = { ...asked, namespace: namespace ?? client.namespace };
    const inquiry = new Inquiry({ objects: objects({ client }), registry: known, now: clock.now() });
    const finding = await inquiry.explain(address);
    const causes = causesOf(finding);
    const [rootCause] = causes;
    if (output === 'text') out.write(whyText(finding, ink));
    else {
      const answer = {
        namespace: address.namespace,
        object: labelOf(finding),
        waits: causes.length > 0,
        rootCause,
        causes,
        finding,
      };
      out.write(`${JSON.stringify(answer, undefined, 2)}\n`);
    }
    return causes.length === 0 ? 0 : 1;
  } finally {
    await client.close();
  }
}

/** In whatever way kubectl lets one name an object: `network/n`, `Networks n`, `networks.openstack.k-orc.cloud/n`. */
function askedFor({ resources }: Registry, names: readonly string[]): Omit<Address, 'namespace'> {
  const [kind = '', name = '', ...rest] = names.length === 1 ? (names[0] ?? '').split('/') : names;
  if (kind === '' || name === '' || rest.length > 0 || name.includes('/')) {
    throw new TerminalError(`'why' takes one object, such as 'network/app'; got '${names.join(' ')}'`);
  }
  const resource = resources.find(({ kind: of, plural, group, version }) =>
    [
      of.toLowerCase(),
      plural,
      `${plural}.${group}`,
      `${of.toLowerCase()}.${group}`,
      `${plural}.${version}.${group}`,
    ].includes(kind.toLowerCase()),
  );
  if (resource !== undefined) return { realm: resource.realm, plural: resource.plural, name };
  const all = resources.map(({ kind: of }) => of).join(', ');
  throw new TerminalError(`there is no kind '${kind}'; there are ${all}`);
}
