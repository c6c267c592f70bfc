// What is wrong everywhere: the root causes of all namespaces that have objects, foreign systems that answer badly, and what
// ails the bus, the API server or the place of another controller.
import type { Predecessor } from '../../adapters/adapter.ts';
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import { addressKey, type Clock, toErrorData } from '../../bus/mod.ts';
import { led } from '../inquiry/causes.ts';
import { leaderAmong } from '../inquiry/leader.ts';
import { surveyOf } from '../inquiry/overview.ts';
import type { Reading } from '../inquiry/reading.ts';
import type { Registry } from '../object/registry.ts';
import type { Session } from './session.ts';
import type { Problem, Problems, Verdict } from './wire.ts';

export interface ProblemsDeps {
  readonly objects: Pick<Objects, 'list'>;
  readonly registry: Registry;
  readonly predecessors: readonly Predecessor[];
  readonly clock: Clock;
}

const UNTOLD = 'what waits for what cannot be told now';

export async function problemsOf(deps: ProblemsDeps, session: Session, reading: Reading): Promise<Problems> {
  const { clock } = deps;
  const at = clock.now();
  const notes: Verdict[] = session.troubles.map((summary) => ({ summary, advice: 'it is tried again by itself' }));
  const problems: Problem[] = [];
  const namespaces = new Set([...session.forest.all()].map(({ address }) => address.namespace));
  for (const namespace of [...namespaces].sort()) {
    try {
      problems.push(...(await ofNamespace(deps, reading, namespace, at)));
    } catch (error) {
      const where = namespace === '' ? 'cluster-scoped objects' : `namespace '${namespace}'`;
      notes.push({ summary: `${where}: ${UNTOLD}: ${toErrorData(error).message}`, advice: '' });
    }
    await clock.sleep(0); // between two namespaces others have a turn
  }
  return {
    at,
    problems: problems.sort((one, other) => other.weight - one.weight || other.waiting.length - one.waiting.length),
    leases: session.leases.map(({ name, holder }) => ({ name, holder })),
    services: session.services.failing(at),
    notes: [...(await leading(deps, at)), ...notes],
  };
}

async function ofNamespace(
  { registry }: ProblemsDeps,
  reading: Reading,
  namespace: string,
  now: number,
): Promise<readonly Problem[]> {
  const { causes } = await surveyOf({ reading, registry, now }, namespace, []);
  return causes.map(({ cause: { summary, advice, weight }, by, waiting }) => ({
    summary,
    advice,
    weight,
    namespace,
    key: by === undefined ? '' : addressKey(by),
    waiting: waiting.map(addressKey),
  }));
}

/** That another controller cares for the objects; that it cannot be told is known from elsewhere. */
async function leading({ predecessors, objects }: ProblemsDeps, now: number): Promise<readonly Verdict[]> {
  try {
    const leader = await leaderAmong(predecessors, objects, now);
    if (leader === undefined) return [];
    const { summary, advice } = led(leader);
    return [{ summary, advice }];
  } catch (error) {
    return [{ summary: `whether another controller leads cannot be told: ${toErrorData(error).message}`, advice: '' }];
  }
}
