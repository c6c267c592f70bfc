// Events as the frames of Stately's inspection protocol, by which its viewers draw machines and what moves them.
//
// Invariants:
//   CLI-INSPECTION-1. A session begins with `@xstate.actor`, which has the definition of its machine; nothing of a session comes before.
//   CLI-INSPECTION-2. A listener that begins later receives each session that there is, as it is now.
import type { AnyStateMachine } from 'xstate';
import type { ConfiguredAdapter } from '../../../adapters/api/adapter.ts';
import { type Address, addressKey, type JsonObject, type ReceivedEvent } from '../../../bus/mod.ts';
import { deletionGuardMachine } from '../../../machines/deletion-guard.ts';
import { definitionOf } from '../machines/definition.ts';
import { linksOf, Steps } from './lines.ts';

/** Version of the protocol, as npm's @statelyai/inspect numbers it. */
const PROTOCOL_VERSION = '0.7.2';

export interface Inspection {
  /** An event, for present listeners. */
  framesOf(event: ReceivedEvent): readonly JsonObject[];
  /** The present sessions, for a new listener. */
  present(): Iterable<JsonObject>;
}

/** Session of an object: its address is the session, and its machine the one that its kind uses. */
interface Session {
  readonly actor: Address;
  at: number;
  value: JsonObject | string;
}

export function inspection(adapters: readonly Pick<ConfiguredAdapter, 'realm' | 'kinds'>[]): Inspection {
  const machines = new Map<string, AnyStateMachine>();
  for (const { realm, plural, life } of adapters.flatMap(({ kinds }) => kinds)) {
    machines.set(`${realm}/${plural}`, life.machine);
  }
  const definitions = new Map<AnyStateMachine, string>();
  const sessions = new Map<string, Session>();
  const steps = new Steps();

  const machineOf = ({ realm, plural }: Address): AnyStateMachine =>
    machines.get(`${realm}/${plural}`) ?? deletionGuardMachine;
  const definition = (actor: Address): string => {
    const machine = machineOf(actor);
    const known = definitions.get(machine) ?? JSON.stringify(definitionOf(machine));
    definitions.set(machine, known);
    return known;
  };
  const frame = (type: string, { actor, at }: Pick<Session, 'actor' | 'at'>, more: JsonObject): JsonObject => ({
    type,
    sessionId: addressKey(actor),
    rootId: addressKey(actor),
    id: `${type} ${addressKey(actor)} ${at}`,
    createdAt: String(Math.floor(at)),
    _version: PROTOCOL_VERSION,
    ...more,
  });
  const opening = (session: Session): JsonObject =>
    frame('@xstate.actor', session, {
      name: `${session.actor.plural}/${session.actor.name}`,
      definition: definition(session.actor),
      snapshot: snapshotOf(session.value, 'active'),
    });

  return {
    framesOf(event) {
      steps.hear(event);
      const { actor, type, at, data } = event;
      const key = addressKey(actor);
      const known = sessions.get(key);
      const isGone = type === 'deleted';
      const from = stateIn(data, 'from');
      const session = known ?? { actor, at, value: stateValue(machineOf(actor), from) };
      const frames = known === undefined ? [opening(session)] : [];
      session.at = at;
      sessions.set(key, session);
      const { cause, ...reported } = data;
      const happening = { type: type === 'transition' ? String(cause) : type, ...reported };
      const [source] = linksOf(data).flatMap((link) => steps.actorOf(link) ?? []);
      const by = source !== undefined && { sourceId: addressKey(source) };
      frames.push(frame('@xstate.event', session, { event: happening, ...by }));
      if (type === 'call') return frames;
      const to = stateIn(data, 'to');
      if (to !== '') session.value = stateValue(machineOf(actor), to);
      const snapshot = snapshotOf(session.value, isGone ? 'done' : 'active');
      frames.push(frame('@xstate.snapshot', session, { event: happening, snapshot }));
      if (isGone) sessions.delete(key);
      return frames;
    },
    *present() {
      for (const session of sessions.values()) yield opening(session);
    },
  };
}

function stateIn(data: JsonObject, name: 'from' | 'to'): string {
  return typeof data[name] === 'string' ? data[name] : '';
}

/** The contexts of actors are not on the bus. */
function snapshotOf(value: JsonObject | string, status: 'active' | 'done'): JsonObject {
  return { status, value, context: {} };
}

/** The inverse of `stateOf`: of several regions only the first, the lifecycle itself, is on the bus. */
function stateValue(machine: Pick<AnyStateMachine, 'root'>, state: string): JsonObject | string {
  const inner = state
    .split('.')
    .reduceRight<JsonObject | string>((below, name) => (below === '' ? name : { [name]: below }), '');
  const [life] = Object.keys(machine.root.states);
  return machine.root.type === 'parallel' && life !== undefined ? { [life]: inner } : inner;
}
