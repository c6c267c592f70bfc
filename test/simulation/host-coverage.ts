// Which transitions of the machine of hosts histories take, and by what they are called.
import type { AnyStateMachine } from 'xstate';
import type { Place } from './coverage.ts';

/** Leaves to which any operation leads that is not done, by lists that all have in common (`leaves.ts`). */
const ANSWERED: ReadonlySet<string> = new Set(['awaiting', 'pausing', 'backingOff', 'retrying', 'refused']);
const OPERATION = /^(done|error) of (?!watch$)/;

/**
 * The parts of the chart have leaves in common, each with the same transitions, and their operations the same answers: what is
 * written once is counted once.
 */
export function tellsOfHosts({ root }: AnyStateMachine): (place: Place) => string {
  const parts = Object.values(root.states['lifecycle']?.states ?? {});
  const leaves = parts.flatMap(({ states }) => Object.keys(states));
  const common = new Set(leaves.filter((leaf, index) => leaves.indexOf(leaf) !== index));
  const called = (path: readonly string[]): string => {
    const [, part, leaf = ''] = path;
    // What is done before anything is asked of Ironic has leaves of its own by the same names.
    return path.length === 3 && part !== 'admitting' && common.has(leaf) ? `each.${leaf}` : path.join('.');
  };
  return ({ from, to, cause }) => {
    const [, part] = from;
    const [answer = ''] = to.map((path) => path[2] ?? '');
    if (part !== 'admitting' && OPERATION.test(cause) && ANSWERED.has(answer))
      return `an operation -> each.${answer} on ${cause.replace(/ of .*/, '')}`;
    return `${called(from) || 'root'} -> ${to.map(called).join(', ') || 'stays'} on ${cause}`;
  };
}

export const HOSTS_UNREACHABLE: readonly string[] = [];
export const HOSTS_RARE: readonly string[] = [];
