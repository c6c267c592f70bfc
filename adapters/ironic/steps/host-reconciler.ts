// Passes for hosts: each with what is remembered of the host's node, and what they come to.
import type { HostNode, Outcome } from '../../../machines/bare-metal-host/outcome.ts';
import type { OperationRequest } from '../../../machines/request.ts';
import { QueueTimeoutError } from '../../http/concurrency-limiter.ts';
import { type IronicNode, uuidOf } from '../client/node-answer.ts';
import type { CachedNode } from '../client/node-cache.ts';
import type { IronicOptions } from '../options.ts';
import { askingFor, type IronicPorts } from '../serving.ts';
import { lookUpOwn, lookUpToRemove } from './lookup.ts';
import { Memories } from './node-memories.ts';
import { outcomeOf } from './outcome.ts';
import { isOfAnother } from './owners.ts';
import { changedNodeIn } from './registration.ts';
import { type Ended, type Known, pass } from './run-steps.ts';
import { type Ask, type Step, wait } from './step.ts';
import type { Host } from './step-host.ts';

/** Input of an operation on a host; the host is as the API server has it. */
export type HostRequest = Pick<OperationRequest, 'object' | 'dependencies' | 'deadlineAt' | 'traceparent'> & {
  /** As the host knows it; undefined: it does not. */
  readonly node?: HostNode | undefined;
};

export interface HostReconciler {
  run<Found extends object>(
    request: HostRequest,
    decide: (known: Known) => Step<Found>,
    answer?: (asked: Ask['for'], node: IronicNode | undefined) => Promise<void>,
  ): Promise<Ended<Found>>;
  /** The same for what needs the node: it is read first. Null: Ironic has none. */
  onNode<Found extends object>(
    request: HostRequest,
    decide: (node: IronicNode | null, known: Known) => Step<Found>,
    answer?: (asked: Ask['for'], node: IronicNode | undefined) => Promise<void>,
  ): Promise<Ended<Found>>;
  /** The same for a node that is to be removed, which may be another than the one that is recorded. */
  onLeaving(request: HostRequest, decide: (node: IronicNode | null) => Step): Promise<Ended<object>>;
  /** Current outcome of an attempt. */
  outcome<Found extends object>(
    ended: Ended<Found>,
    request: HostRequest,
    found?: Parameters<typeof outcomeOf<Found>>[2],
  ): Outcome;
}

/** Retried after a while: started attempts finish before others start. */
const NO_TURN = {
  last: wait('short', 'Ironic is busy with other hosts'),
  notes: [],
  node: undefined,
  sight: undefined,
} as const;

/** The sight of the node that the host has recorded. */
function recordedIn(request: HostRequest, sight: CachedNode | undefined): CachedNode | undefined {
  const { provisioning } = hostOf(request).status ?? {};
  return sight !== undefined && uuidOf(sight.node) === provisioning?.ID ? sight : undefined;
}

export function hostOf({ object }: Pick<HostRequest, 'object'>): Host {
  return object as Host;
}

export function passes({
  options: { speed },
  ...ports
}: Pick<IronicPorts, 'clock' | 'ironic' | 'sights' | 'turns' | 'listObjects' | 'readObject'> & {
  readonly options: Pick<IronicOptions, 'speed'>;
}): HostReconciler {
  const { clock, ironic, sights, turns } = ports;
  const memories = new Memories();
  const run: HostReconciler['run'] = async (request, decide, answer) => {
    const { uid, namespace = '' } = request.object.metadata;
    const turn = await turns
      .enter({ namespace, object: uid, kind: 'pass', deadlineAt: request.deadlineAt })
      .catch((error: unknown) => {
        if (error instanceof QueueTimeoutError) return undefined;
        throw error;
      });
    if (turn === undefined) return { ...NO_TURN, memory: memories.of(uid) };
    let isOver = false;
    try {
      const ended = await passOf(request, decide, answer);
      isOver = true;
      return ended;
    } finally {
      turn.leave(isOver ? 'answered' : 'outcomeUnknown');
    }
  };
  const passOf: HostReconciler['run'] = async (request, decide, answer) => {
    const { uid } = request.object.metadata;
    const before = recordedIn(request, sights.take(uid, request.node));
    const begunAt = clock.now();
    const facts = before === undefined ? {} : { byId: before.node };
    const isAnothers = (node: IronicNode): Promise<boolean> => isOfAnother(ports, hostOf(request), node);
    const given = { ironic, memory: memories.of(uid), asking: askingFor(request), facts, isAnothers };
    const ended = await pass(given, decide, answer);
    memories.keep(uid, ended.memory);
    const { sight } = ended;
    if (sight !== undefined) sights.keep(uid, sight === before?.node ? before : { node: sight, at: begunAt });
    return ended;
  };
  return {
    run,
    onNode: <Found extends object>(
      request: HostRequest,
      decide: (node: IronicNode | null, known: Known) => Step<Found>,
      answer?: Parameters<HostReconciler['run']>[2],
    ) =>
      run<Found>(
        request,
        (known) => {
          const looked = lookUpOwn({ host: hostOf(request), facts: known.facts });
          return looked.step === 'done' ? decide(changedNodeIn(known.facts) ?? looked.node, known) : looked;
        },
        answer,
      ),
    onLeaving: (request, decide) =>
      run(request, ({ facts }) => {
        const looked = lookUpToRemove({ host: hostOf(request), facts });
        return looked.step === 'done' ? decide(changedNodeIn(facts) ?? looked.node) : looked;
      }),
    outcome: (ended, request, found) =>
      outcomeOf(ended, { host: hostOf(request), at: clock.now(), random: clock.random(), speed }, found),
  };
}
