// The state machines with their effects, made once a host and shared by all of its objects.
//
// Invariants:
//   MACHINES-1. An apply takes no guard off: it states what its field manager may own of what is stored, claimed or not (P3, I3).
import { type AnyStateMachine, fromPromise } from 'xstate';
import { referenceTo } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Mailbox, TransientError } from '../../bus/mod.ts';
import { auditPauseMs, deletionGuardMachine, type GuardInput, guardBackoffMs } from '../../machines/deletion-guard.ts';
import type { Lifecycle } from '../../machines/lifecycle.ts';
import { equipped } from '../../machines/statechart.ts';
import { alignedPause, jitter } from '../base/clock.ts';
import type { ObjectActor } from '../object/object-actor.ts';
import type { Machines } from '../object/object-context.ts';
import { Audits } from './audit.ts';
import { OwnershipResolver } from './ownership.ts';
import { ObjectPorts, type PortsDeps, settled } from './ports.ts';
import { Reservations } from './reservations.ts';
import { UnreportedChildren } from './unreported-children.ts';

export interface EffectsDeps extends Omit<PortsDeps, 'reservations' | 'ownership' | 'unreported'> {
  /** The actor with this key, if this process hosts it. */
  actor(key: string): ObjectActor | undefined;
  readonly mailbox: Mailbox;
  /** Managed namespaces; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
}

export function machinesWith(deps: EffectsDeps): Machines {
  const { objects, registry, clock, mailbox, namespaces } = deps;
  const ports: PortsDeps = {
    ...deps,
    recordMetric: (object, measurement) => deps.recordMetric(object, measurement),
    reservations: new Reservations({ mailbox, clock, objects, registry }),
    ownership: new OwnershipResolver({ objects, registry, namespaces, clock }),
    unreported: new UnreportedChildren({ objects, clock }),
  };
  const guard = deletionGuard(deps);
  const provided = new Map<Lifecycle, AnyStateMachine>();
  return {
    guard,
    of(life) {
      const known = provided.get(life);
      if (known !== undefined) return known;
      const machine = life.provide((key) => new ObjectPorts(ports, key, deps.actor(key)));
      provided.set(life, machine);
      return machine;
    },
  };
}

function deletionGuard({ actor: find, objects, registry, clock }: EffectsDeps): AnyStateMachine {
  const audits = new Audits({ objects, registry });
  const effect = <Output>(run: (actor: ObjectActor, finalizers: readonly string[]) => Promise<Output>) =>
    fromPromise<Output, GuardInput>(({ input: { key, finalizers } }) =>
      settled(() => {
        const actor = find(key);
        if (actor?.object === undefined) throw new AbsentError(`'${key}' is not hosted here any more`);
        return run(actor, finalizers);
      }),
    );
  /** Whether the finalizers are on the object, as the actor knows it by now. */
  const retains = ({ key }: ObjectActor, finalizers: readonly string[]): boolean =>
    finalizers.some((finalizer) => find(key)?.object?.metadata.finalizers?.includes(finalizer));
  return equipped(deletionGuardMachine, {
    actors: {
      storeGuards: effect(async (actor, finalizers) => {
        const held = [...actor.claims.held(actor.object?.metadata.uid ?? '')];
        const managers = new Set(held.filter(([name]) => finalizers.includes(name)).map(([, { manager }]) => manager));
        const outcomes = await Promise.allSettled(
          [...managers].map((manager) => {
            const wanted = held.filter(([, claim]) => claim.manager === manager).map(([finalizer]) => finalizer);
            const own = registry.guardsOf(actor.address, manager);
            return actor.write((object) => {
              // Each field manager states all fields that it owns: a missing finalizer would be removed. The table may
              // lack claims.
              const { finalizers: stored = [], resourceVersion } = object.metadata;
              // mutant: guard-off-by-apply () -> []
              const kept = stored.filter((finalizer) => own.includes(finalizer) && !wanted.includes(finalizer));
              // Another one of several hosts may have stored one meanwhile.
              const exactly = own.length > 1 ? { resourceVersion } : {};
              const reference = { ...referenceTo(object), ...exactly };
              return objects.addFinalizers(actor.resource, reference, manager, [...kept, ...wanted]);
            });
          }),
        );
        // Not before all have ended: what is still on its way would be written once more.
        for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
        const missing = held.some(([name]) => finalizers.includes(name) && !retains(actor, [name]));
        // mutant: guard-taken-at-once drop
        if (missing) throw new TransientError('another client removes the finalizers as soon as they are stored');
      }),
      releaseGuards: effect(async (actor, finalizers) => {
        // mutant: guard-off-changed-object : -> false
        await actor.write((object) => objects.removeFinalizers(actor.resource, object, finalizers, { exact: true }));
        if (retains(actor, finalizers)) throw new TransientError('another client adds the finalizers again');
      }),
      auditGuards: effect((actor, finalizers) =>
        audits.guards(actor, { uid: actor.object?.metadata.uid ?? '' }, finalizers),
      ),
    },
    delays: {
      guardBackoff: ({ context }) => jitter(guardBackoffMs(context), clock),
      auditPause: ({ context }) => alignedPause(auditPauseMs(context), clock),
    },
  });
}
