// `troupe why <kind>/<name>`: what an object waits for, down to the root cause. Without a name: the root causes of a
// whole namespace.
import { type Address, ErrorCode, TerminalError, TroupeError } from '../../../bus/mod.ts';
import { plainJson } from '../../base/printable.ts';
import { ClusterReader } from '../../diagnosis/cluster-reader.ts';
import type { DiagnosisDeps } from '../../diagnosis/diagnosis.ts';
import { labelOf } from '../../diagnosis/findings.ts';
import {
  causesIn,
  defectsAmong,
  explainWait,
  type Hosting,
  type Notes,
  type ReportedCause,
} from '../../diagnosis/infrastructure-causes.ts';
import { leaderAmong } from '../../diagnosis/legacy-leader.ts';
import { clusterOverviewOf, overviewOf } from '../../diagnosis/overview.ts';
import { shardsIn } from '../../sharding/served-kinds.ts';
import type { BusReader } from '../bus-reader.ts';
import { objectNamed, openCluster, refuseAbsentNamespace } from '../cluster.ts';
import type { Ink } from '../colors.ts';
import type { ClusterDeps } from '../command-context.ts';
import { clusterOverviewText, overviewText, whyText } from './text.ts';

export interface WhyDeps extends ClusterDeps {
  /** `<kind>/<name>`, or the two apart; none: all objects of the namespace. */
  names: readonly string[];
  /** That of the kubeconfig's context unless given. */
  namespace: string | undefined;
  /** All objects of all namespaces. */
  isEverywhere?: boolean;
  output: string | undefined;
  /** Asked when something waits; undefined: there is no bus to look at. */
  openBus: () => Promise<BusReader | undefined>;
  /** Number of shards of the deployment, if none of its pods says. */
  shards: number;
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
  isEverywhere = false,
  output = 'text',
  openBus,
  shards,
  home,
  out,
  ink,
}: WhyDeps): Promise<number> {
  if (output !== 'text' && output !== 'json') throw new TerminalError(`--output must be text or json; got '${output}'`);
  if (isEverywhere && names.length > 0)
    throw new TerminalError("'why --all-namespaces' goes without an object; -n names the namespace of one");
  const cluster = openCluster({ config, adapters, clock, home });
  const { client, objects: read, registry: known } = cluster;
  try {
    const asked = names.length === 0 ? undefined : objectNamed('why', { resources: known.resources, adapters }, names);
    const place = namespace ?? client.namespace;
    const now = clock.now();
    const deps = { reading: new ClusterReader({ objects: read, client, registry: known }), registry: known, now };
    const predecessors = adapters.flatMap(({ legacyController }) => legacyController ?? []);
    const notes: Notes = async (reported) => {
      const leader = await leaderAmong(predecessors, read);
      const hosting = leader === undefined ? await hostingOn(openBus, shards, reported) : undefined;
      return causesIn({ leader, hosting }, reported, known);
    };
    const answer = isEverywhere
      ? await ofCluster(deps, notes)
      : asked === undefined
        ? await ofNamespace(deps, place, notes)
        : await ofObject(deps, { ...asked, namespace: place }, notes, ink);
    if (asked === undefined && !isEverywhere && 'objects' in answer.data && answer.data.objects === 0)
      await refuseAbsentNamespace(client, namespace);
    // Without a namespace option the output names the namespace that was used.
    const where =
      namespace === undefined && !isEverywhere
        ? `in namespace ${place}, that of the context; -n names another\n\n`
        : '';
    out.write(
      output === 'json' ? `${plainJson(JSON.stringify(answer.data, undefined, 2))}\n` : `${where}${answer.text}`,
    );
    return answer.isWell ? 0 : 1;
  } finally {
    await cluster.close();
  }
}

interface Answer {
  readonly data: object;
  readonly text: string;
  readonly isWell: boolean;
}

async function ofObject(deps: DiagnosisDeps, address: Address, notes: Notes, ink: Ink): Promise<Answer> {
  const { finding, causes } = await explainWait(deps, address, notes);
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

async function ofNamespace(deps: DiagnosisDeps, namespace: string, notes: Notes): Promise<Answer> {
  const data = await overviewOf(deps, namespace, notes);
  return { data, text: overviewText(data), isWell: data.causes.length === 0 };
}

async function ofCluster(deps: DiagnosisDeps, notes: Notes): Promise<Answer> {
  const data = await clusterOverviewOf(deps, notes);
  const isWell = [data, ...data.namespaces].every(({ causes }) => causes.length === 0);
  return { data, text: clusterOverviewText(data), isWell };
}

/** Hosting processes; an unreachable bus is an answer too. */
async function hostingOn(
  openBus: WhyDeps['openBus'],
  shards: number,
  reported: readonly ReportedCause[],
): Promise<Hosting | undefined> {
  let bus: BusReader | undefined;
  try {
    bus = await openBus();
    if (bus === undefined) return undefined;
    const [leases, defects] = await Promise.all([bus.leases.list(), defectsAmong(bus.trace, reported)]);
    // mutant: shards-of-asker ?? -> shards
    return { kind: 'reported', bus: bus.description, shards: shardsIn(leases) ?? shards, leases, defects };
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    return { kind: error.code === ErrorCode.Transient ? 'away' : 'untold', message: error.message };
  } finally {
    await bus?.close();
  }
}
