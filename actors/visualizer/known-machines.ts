// The statecharts by which objects live here.
import type { AnyStateMachine } from 'xstate';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { deletionGuardMachine } from '../../machines/deletion-guard.ts';

/** A chart, and the kinds whose objects live by it. */
export interface KnownMachine {
  readonly name: string;
  readonly machine: AnyStateMachine;
  readonly kinds: readonly string[];
}

/** Machines of all adapters, and the guard of every object that others refer to. */
export function knownMachines(adapters: readonly Pick<ConfiguredAdapter, 'kinds'>[]): readonly KnownMachine[] {
  const all = new Map<AnyStateMachine, string[]>([[deletionGuardMachine, []]]);
  for (const { kind, life } of adapters.flatMap(({ kinds }) => kinds)) {
    const kinds = all.get(life.machine) ?? [];
    all.set(life.machine, [...kinds, kind]);
  }
  return [...all]
    .map(([machine, kinds]) => ({ name: machine.id, machine, kinds }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
