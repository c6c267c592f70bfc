// Watch for transitions of a node: Ironic's firmware data changes only then. Ironic reads it from the BMC while a node
// is verified, inspected, cleaned and serviced, and after each step that changes something.
//
// Invariants:
//   IRONIC-NODE-WATCH-1. A transition after the reading is always reported, even if no poll saw it running; one before
//       it never is.
//   IRONIC-NODE-WATCH-2. What is under way is not told of before it is over.
import { AbsentError } from '../../../bus/errors.ts';
import type { Transition } from '../../../machines/observed-node/context.ts';
import type { Node } from '../client/node.ts';
import type { NodePoller } from '../client/poller.ts';

export interface TransitionWatch {
  readonly uuid: string;
  /** The last transition of which it is known that the reading came after it; undefined: none was looked for. */
  readonly seen: Transition | undefined;
  /** When the reading was asked for, milliseconds since the epoch. */
  readonly readAt: number;
  readonly pollAfterMs: number;
  readonly signal: AbortSignal;
}

type Sight = Pick<Node, 'provision_state' | 'provision_updated_at' | 'reservation'>;

/**
 * Assumed maximum difference between the clocks of Ironic and this machine, in milliseconds; a superfluous reading is
 * harmless.
 */
const CLOCKS_APART_MS = 60_000;

/** Resolves with the last transition. @throws {AbsentError} Ironic does not know the node @throws as `NodePoller.watch` */
export async function nextTransition(
  poller: Pick<NodePoller, 'watch'>,
  { uuid, seen, readAt, pollAfterMs: paceMs, signal }: TransitionWatch,
): Promise<Transition> {
  let before = seen;
  let known: Partial<Sight> | undefined = seen === undefined ? undefined : { provision_updated_at: seen };
  for (;;) {
    const news = await poller.watch({ uuid, known, signal, paceMs });
    if ('gone' in news) throw new AbsentError('Ironic does not know the node');
    const { provision_state, provision_updated_at: last, reservation } = news.node;
    const sight = { provision_state, provision_updated_at: last, reservation };
    known = sight;
    if (isAtWork(sight)) continue;
    if (before === undefined ? isAfter(last, readAt) : last !== before) return last;
    before = last;
  }
}

/** States that end on their own, or when a person lets Ironic continue. */
const PASSING = /(?:ing|wait|hold|call-back)$/;

function isAtWork({ provision_state, reservation }: Sight): boolean {
  return reservation !== null || PASSING.test(provision_state ?? '');
}

function isAfter(transition: Transition, readAt: number): boolean {
  return transition !== null && Date.parse(zoned(transition)) >= readAt - CLOCKS_APART_MS;
}

/** Ironic's instants are of UTC, with a zone or without. */
function zoned(text: string): string {
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
}
