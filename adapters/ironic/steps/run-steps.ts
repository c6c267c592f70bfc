// One pass over a node: decisions are carried out, step by step, until one ends the pass.
//
// Invariants:
//   IRONIC-RUN-STEPS-1. Each decision sees what was read in this pass, or right before it, alone, and each request is judged before the next is made.
//   IRONIC-RUN-STEPS-2. What a step notes counts when the step was carried out as a whole, however the pass ends then.
//   IRONIC-RUN-STEPS-3. An attempt that runs in a circle always ends and is continued later.
import type { JsonObject } from '../../../bus/bus.ts';
import { QueueTimeoutError } from '../../http/concurrency-limiter.ts';
import type { IronicClient } from '../client/client.ts';
import { refusalIn } from '../client/errors.ts';
import { type IronicNode, uuidOf } from '../client/node-answer.ts';
import type { Asking } from '../client/session.ts';
import { type Facts, gathered } from './facts.ts';
import { type Memory, remembered } from './node-memory.ts';
import { nodeIn } from './registration.ts';
import {
  type Ask,
  type Done,
  type Failed,
  type NodeRequest,
  type Notes,
  type Register,
  type Send,
  type Step,
  type Stuck,
  stuck,
  type Verdict,
  verdictOn,
  type Wait,
  wait,
} from './step.ts';

/** Input of a decision. */
export interface Known {
  readonly facts: Facts;
  readonly memory: Memory | undefined;
}

/** End of an attempt, with all notes of its steps, in their order. */
export interface Ended<Found extends object> {
  /** A `send` is one that was carried out, and after which there is a pause. */
  readonly last: Done<Found> | Wait | Failed | Stuck | Register | Send;
  readonly notes: readonly Notes[];
  /** The node as it was answered last; undefined: it was not. */
  readonly node: IronicNode | undefined;
  readonly memory: Memory | undefined;
  /** The same node, if no request was sent to it after that: the next attempt may start from there. */
  readonly sight: IronicNode | undefined;
}

export interface PassDeps {
  readonly ironic: Pick<IronicClient, 'call'>;
  readonly memory: Memory | undefined;
  readonly asking: Asking;
  /** Whether another host has the node. */
  readonly isAnothers: (node: IronicNode) => Promise<boolean>;
  /** Facts that are already known because they were read right before. */
  readonly facts?: Facts;
}

/** Maximum number of steps of one operation. */
const STEPS = 40;

/**
 * Carries decisions out until one ends the pass.
 *
 * @param decide  made again after each step, with what is known by then
 * @param answer  finds out what a step asks for, for the next decision
 * @throws as the calls of `IronicClient`, where Ironic gave no answer that a decision judges; not where a call had no turn
 */
export async function pass<Found extends object>(
  { ironic, asking, memory, isAnothers, facts = {} }: PassDeps,
  decide: (known: Known) => Step<Found>,
  answer: (asked: Ask['for'], node: IronicNode | undefined) => Promise<void> = unasked,
): Promise<Ended<Found>> {
  const notes: Notes[] = [];
  let known: Known = { facts, memory };
  let node = nodeIn(facts);
  let sight = node;
  const end = (last: Ended<Found>['last']): Ended<Found> => ({
    last,
    notes,
    node,
    sight,
    memory: notes.reduce((now, { remember }) => (remember === undefined ? now : remembered(now, remember)), memory),
  });
  for (let steps = 0; steps < STEPS; steps += 1) {
    const step = decide(known);
    switch (step.step) {
      case 'ask':
        await answer(step.for, node);
        continue;
      case 'askOwner': {
        const others = { ...known.facts.others, [uuidOf(step.node)]: await isAnothers(step.node) };
        known = { ...known, facts: { ...known.facts, others } };
        sight = node = nodeIn(known.facts);
        continue;
      }
      case 'stuck':
      case 'register':
        return end(step);
      case 'send': {
        for (const request of step.requests) {
          const ends = await send(request);
          if (ends !== undefined) return end(ends);
        }
        notes.push(step);
        if (step.then === 'again') known = { ...known, facts: {} };
        else if (step.then !== 'onward') return end(step);
        continue;
      }
      default:
        notes.push(step);
        return end(step);
    }
  }
  return end(stuck('what is to be done to the node comes to no end'));

  async function send(request: NodeRequest): Promise<Wait | Stuck | undefined> {
    if (request.method !== 'GET') sight = undefined;
    const { verdict, body } = await ask(request);
    if (verdict.kind === 'otherwise') return send(verdict.request);
    if (verdict.kind === 'ends') return verdict.step;
    if (request.into !== undefined) {
      known = { ...known, facts: gathered(known.facts, request.into, body) };
      const now = nodeIn(known.facts);
      if (now !== undefined && now !== node) sight = node = now;
    }
    return undefined;
  }

  async function ask(request: NodeRequest): Promise<{ readonly verdict: Verdict; readonly body?: JsonObject }> {
    const { method, path, query, body } = request;
    try {
      const answer = await ironic.call(
        { method, path, ...(query !== undefined && { query }), ...(body !== undefined && { body }) },
        asking,
      );
      return { verdict: verdictOn(request, { status: answer.status }), body: answer.body };
    } catch (error) {
      // A full queue is not a failure of this attempt: completed work counts, and the attempt continues when a slot is
      // free.
      if (error instanceof QueueTimeoutError)
        return { verdict: { kind: 'ends', step: wait('short', 'Ironic is busy') } };
      const refusal = refusalIn(error);
      // An authentication failure is not a fault of this node.
      // mutant: ironic-failure-is-refusal ||.4 drop
      if (refusal === undefined || refusal.status === 401 || refusal.status === 403 || refusal.status >= 500)
        throw error;
      return { verdict: verdictOn(request, refusal) };
    }
  }
}

async function unasked(asked: Ask['for']): Promise<void> {
  throw new Error(`no decision is expected to request '${asked}' here`);
}
