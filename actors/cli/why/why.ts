// `troupe why <kind>/<name>`: what an object waits for, down to the root cause. Without a name: the root causes of a
// whole namespace.
import { join } from 'node:path';
import type { ConfiguredAdapter } from '../../../adapters/adapter.ts';
import { kubeClient, objects } from '../../../adapters/kubernetes/mod.ts';
import { type Address, type Clock, TerminalError } from '../../../bus/mod.ts';
import { withoutOperations } from '../../effects/operations-service.ts';
import { led } from '../../inquiry/causes.ts';
import { type Cause, causesOf, labelOf, ranked } from '../../inquiry/findings.ts';
import { Inquiry, type InquiryDeps } from '../../inquiry/inquiry.ts';
import { leaderAmong } from '../../inquiry/leader.ts';
import { overviewOf } from '../../inquiry/overview.ts';
import { Reading } from '../../inquiry/reading.ts';
import { registry } from '../../object/registry.ts';
import type { Config } from '../../process/config.ts';
import { USER_AGENT } from '../../process/version.ts';
import { askedFor } from '../asked-for.ts';
import type { Ink } from '../demo/view.ts';
import { overviewText, whyText } from './text.ts';

export interface WhyDeps {
  config: Pick<Config, 'kubeconfig' | 'inCluster'> & { readonly context?: string | undefined };
  adapters: readonly ConfiguredAdapter[];
  clock: Clock;
  /** `<kind>/<name>`, or the two apart; none: all objects of the namespace. */
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
  const asked = names.length === 0 ? undefined : askedFor('why', known, names);
  const { context, inCluster } = config;
  const kubeconfig = config.kubeconfig ?? (inCluster === undefined ? join(home ?? '', '.kube', 'config') : undefined);
  const client = kubeClient({ clock, kubeconfig, context, inCluster, userAgent: USER_AGENT });
  try {
    const place = namespace ?? client.namespace;
    const now = clock.now();
    const read = objects({ client });
    const deps = { reading: new Reading({ objects: read, client }), registry: known, now };
    const predecessors = adapters.flatMap(({ predecessor }) => predecessor ?? []);
    const leader = await leaderAmong(predecessors, read, now);
    const notes: readonly Cause[] = leader === undefined ? [] : [led(leader)];
    const answer =
      asked === undefined
        ? await ofNamespace(deps, place, notes)
        : await ofObject(deps, { ...asked, namespace: place }, notes, ink);
    // Who did not say where to look is told where that was.
    const where = namespace === undefined ? `in namespace ${place}, that of the context; -n names another\n\n` : '';
    out.write(output === 'json' ? `${JSON.stringify(answer.data, undefined, 2)}\n` : `${where}${answer.text}`);
    return answer.isWell ? 0 : 1;
  } finally {
    await client.close();
  }
}

interface Answer {
  readonly data: object;
  readonly text: string;
  readonly isWell: boolean;
}

/** @param notes  what is the cause, or part of it, wherever something waits */
async function ofObject(deps: InquiryDeps, address: Address, notes: readonly Cause[], ink: Ink): Promise<Answer> {
  const finding = await new Inquiry(deps).explain(address);
  const own = causesOf(finding);
  const causes = own.length === 0 ? own : ranked([...own, ...notes]);
  const data = {
    namespace: address.namespace,
    object: labelOf(finding),
    waits: causes.length > 0,
    rootCause: causes[0],
    causes,
    finding,
  };
  return { data, text: whyText(finding, ink, causes), isWell: causes.length === 0 };
}

async function ofNamespace(deps: InquiryDeps, namespace: string, notes: readonly Cause[]): Promise<Answer> {
  const data = await overviewOf(deps, namespace, notes);
  return { data, text: overviewText(data), isWell: data.causes.length === 0 };
}
