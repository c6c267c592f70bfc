// All kinds of the histories, and what can be told of an object by the data of its kind.
import type { DeclaredKind } from '../../../../adapters/api/adapter.ts';
import { KINDS as NETWORK_KINDS } from '../../../../adapters/openstack/kinds/registry.ts';
import { declaredKind } from '../../../../adapters/openstack/resource/managed-kind.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { Reference } from '../../../../machines/kind.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { book } from '../../../example-adapter/book.ts';
import { paper } from '../../../example-adapter/paper.ts';
import { LANDS_WITHIN_MS } from './shop.ts';

/** Of the print shop. */
const PRESS_KINDS: readonly DeclaredKind[] = [paper, book({ inDoubtForMs: LANDS_WITHIN_MS })];
export const KINDS: readonly DeclaredKind[] = [
  ...NETWORK_KINDS.map((kind) => declaredKind(kind, { defaultResyncMs: 0 })),
  ...PRESS_KINDS,
];
export const PLURALS: readonly string[] = KINDS.map(({ plural }) => plural);
/** What objects make that has no life of its own. */
export const MADE_PLURALS: readonly string[] = ['configmaps'];
export const BY_PLURAL: ReadonlyMap<string, DeclaredKind> = new Map(KINDS.map((kind) => [kind.plural, kind]));
export const BY_KIND: ReadonlyMap<string, DeclaredKind> = new Map(KINDS.map((kind) => [kind.kind, kind]));
export const OUR_FINALIZERS: ReadonlySet<string> = new Set(
  KINDS.flatMap(({ finalizer, guards }) => [finalizer, ...guards]),
);

export function isPress({ kind }: { readonly kind: string }): boolean {
  return BY_KIND.get(kind)?.realm === paper.realm;
}

/** A reference with the namespace that it leads to. */
export type Leading = Reference & { readonly namespace: string };

export function referencesOf(object: KubeObject): readonly Leading[] {
  const namespace = object.metadata.namespace ?? '';
  return (BY_KIND.get(object.kind)?.references(object) ?? []).map((reference) => ({ namespace, ...reference }));
}

/** How the one refers to the other. */
export function referenceTo(user: KubeObject, { kind, metadata }: KubeObject): Leading | undefined {
  return referencesOf(user).find(
    (each) => each.kind === kind && each.name === metadata.name && each.namespace === metadata.namespace,
  );
}

export function ownFinalizerOf(kind: string): string | undefined {
  return BY_KIND.get(kind)?.finalizer;
}

/** What was never there, is not there any more, or goes before it was ever built: nothing can be cleaned up with it. */
export function isWithout(object: KubeObject | undefined): boolean {
  return object === undefined || (object.metadata.deletionTimestamp !== undefined && idOf(object) === undefined);
}

/** Of what it stands for outside; an object of the print shop, which has none, has that of its print. */
export function idOf(object: KubeObject): string | undefined {
  const known = BY_KIND.get(object.kind);
  const id = known === undefined || isPress(object) ? object.status?.['id'] : known.publicState(object).id;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** It says what it stands for outside, or is of a kind that has no need to. */
export function isRecorded(object: KubeObject): boolean {
  return BY_KIND.get(object.kind)?.publicState(object).id !== undefined;
}

/** What an object says of itself, in whatever words its kind has. */
export interface Saying {
  readonly isAvailable: boolean;
  /** Nothing is under way. */
  readonly isDone: boolean;
  /** Something is wrong, and a user must help. */
  readonly isRefused: boolean;
  /** Something is wrong, and is tried again. */
  readonly isPassing: boolean;
  readonly message: string | undefined;
  readonly observedGeneration: unknown;
}

const PASSING = 'TransientError';
const ERRORS = new Set([PASSING, 'InvalidConfiguration', 'UnrecoverableError']);
/** Phases of what the print shop makes. */
const THERE = new Set<unknown>(['Bound', 'Available']);
const WRONG = new Set<unknown>(['Failing', 'Trouble']);

export function sayingOf(object: KubeObject): Saying {
  if (isPress(object)) {
    const { phase, message, observedGeneration } = (object.status ?? {}) as JsonObject;
    const isAvailable = THERE.has(phase);
    return {
      isAvailable,
      isDone: isAvailable && observedGeneration !== undefined,
      isRefused: phase === 'Refused',
      isPassing: WRONG.has(phase),
      message: message as string | undefined,
      observedGeneration,
    };
  }
  const progressing = conditionOf(object, 'Progressing');
  const { status, reason = '' } = progressing ?? {};
  return {
    isAvailable: conditionOf(object, 'Available')?.status === 'True',
    isDone: status === 'False',
    isRefused: ERRORS.has(reason) && reason !== PASSING,
    isPassing: reason === PASSING,
    message: progressing?.message,
    observedGeneration: progressing?.observedGeneration,
  };
}

export function conditionOf(
  { status }: KubeObject,
  type: string,
):
  | { readonly status: string; readonly reason: string; readonly message: string; readonly observedGeneration?: number }
  | undefined {
  const conditions = (status?.['conditions'] ?? []) as readonly JsonObject[];
  return conditions.find((condition) => condition['type'] === type) as ReturnType<typeof conditionOf>;
}
