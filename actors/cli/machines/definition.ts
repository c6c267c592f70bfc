// A machine as plain data, as `createMachine` takes it and Stately's editor opens it.
import type { AnyStateMachine } from 'xstate';
import type { Json, JsonObject } from '../../../bus/mod.ts';

/**
 * Configuration of a machine without its code: the functions that compute inputs of effects and parameters of actions
 * and guards from context and event. A guard of guards is `xstate.and`, `xstate.or` or `xstate.not`, with these as
 * `params.guards`.
 */
export function definitionOf({ id, config }: Pick<AnyStateMachine, 'id' | 'config'>): JsonObject {
  return { ...(plain({ ...config, context: undefined }) as JsonObject), id };
}

/** Undefined: it is code. */
function plain(value: unknown): Json | undefined {
  if (typeof value === 'function') return composed(value);
  if (Array.isArray(value)) return value.map((item) => plain(item) ?? null);
  if (typeof value !== 'object' || value === null) return value as Json | undefined;
  const entries = Object.entries(value).map(([name, part]) => [name, plain(part)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** A guard of guards is a function that holds them. */
function composed({ name, guards }: { readonly name: string; readonly guards?: unknown }): JsonObject | undefined {
  return Array.isArray(guards) ? { type: `xstate.${name}`, params: { guards: plain(guards) ?? [] } } : undefined;
}
