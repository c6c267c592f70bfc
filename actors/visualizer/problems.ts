// Problems everywhere: the root causes of all namespaces that have objects, external systems that answer badly, and problems of
// the bus, the API server or the lease of another controller.
import type { LegacyController } from '../../adapters/api/adapter.ts';
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import { addressKey, type Clock, toErrorData } from '../../bus/mod.ts';
import type { ClusterReader } from '../diagnosis/cluster-reader.ts';
import { Weight } from '../diagnosis/findings.ts';
import { causesIn, type ReportedCause } from '../diagnosis/infrastructure-causes.ts';
import { leaderAmong } from '../diagnosis/legacy-leader.ts';
import { type ScannedCause, surveyOf } from '../diagnosis/overview.ts';
import { busAway, led } from '../diagnosis/root-causes.ts';
import type { Registry } from '../object/registry.ts';
import type { Session } from './session.ts';
import { type Problem, type Problems, SEVERITIES, type Severity, type Verdict } from './wire.ts';

export interface ProblemsDeps {
  readonly objects: Pick<Objects, 'list'>;
  readonly registry: Registry;
  readonly predecessors: readonly LegacyController[];
  readonly clock: Clock;
}

const UNTOLD = 'cannot read which objects wait';

export async function problemsOf(deps: ProblemsDeps, session: Session, reading: ClusterReader): Promise<Problems> {
  const { clock } = deps;
  const at = clock.now();
  const notes: Verdict[] = session.troubles.map((summary) => ({
    summary,
    advice: 'retrying with backoff; no action needed',
  }));
  const problems: Problem[] = [];
  const reported: ReportedCause[] = [];
  const namespaces = new Set([...session.graph.all()].map(({ address }) => address.namespace));
  for (const namespace of [...namespaces].sort()) {
    try {
      const { causes } = await surveyOf({ reading, registry: deps.registry, now: at }, namespace);
      reported.push(...causes);
      problems.push(...causes.map((each) => problemOf(each, namespace)));
    } catch (error) {
      const where = namespace === '' ? 'cluster-scoped objects' : `namespace '${namespace}'`;
      notes.push({ summary: `${where}: ${UNTOLD}: ${toErrorData(error).message}`, advice: '' });
    }
    await clock.sleep(0); // between two namespaces others are served
  }
  return {
    at,
    problems: problems.sort(
      (one, other) =>
        SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
        other.waiting.length - one.waiting.length,
    ),
    leases: (session.leases ?? []).map(({ name, holder }) => ({ name, holder })),
    services: session.services.lately(at),
    notes: [...(await around(deps, session, reported)), ...notes],
  };
}

function problemOf({ cause: { summary, advice, weight }, by, waiting }: ScannedCause, namespace: string): Problem {
  const key = by === undefined ? '' : addressKey(by);
  // An object does not wait for itself.
  const others = waiting.map(addressKey).filter((each) => each !== key);
  return { summary, advice, severity: severityOf(weight), namespace, key, waiting: others };
}

export function severityOf(weight: Weight): Severity {
  if (weight >= Weight.Stalled) return 'person';
  return weight === Weight.Retried ? 'retrying' : 'waiting';
}

/** Problems of all objects, whether they wait or not; an unknown leader of another controller is reported elsewhere. */
async function around(
  { predecessors, objects, registry }: ProblemsDeps,
  session: Session,
  reported: readonly ReportedCause[],
): Promise<readonly Verdict[]> {
  try {
    const leader = await leaderAmong(predecessors, objects);
    if (leader !== undefined) return [verdictOf(led(leader))];
    const hosting = await session.hosting(reported);
    if (hosting?.kind === 'away') return [verdictOf(busAway(hosting.message))];
    return causesIn({ leader, hosting }, reported, registry).map(({ cause }) => verdictOf(cause));
  } catch (error) {
    return [
      {
        summary: `cannot read the legacy controller's lease and the hosting of shards: ${toErrorData(error).message}`,
        advice: '',
      },
    ];
  }
}

function verdictOf({ summary, advice }: Verdict): Verdict {
  return { summary, advice };
}
