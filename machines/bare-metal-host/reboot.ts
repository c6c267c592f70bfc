// What the reboot annotations of a host ask for.
import { annotationOf, type BareMetalHost, HostAnnotation, type HostEvent } from './host.ts';

export type RebootMode = 'hard' | 'soft';

export interface Reboot {
  /** How it is to be switched off: one that asks for `hard` wins over all that ask for `soft`. */
  readonly mode: RebootMode;
  /** One of them is to be heeded whatever the host is at. */
  readonly force: boolean;
  /** The annotations that were heeded. */
  readonly keys: readonly string[];
}

/** Whether it is the one that goes away by itself, or one that a client takes away. */
export function isRebootAnnotation(key: string): boolean {
  return key === HostAnnotation.Reboot || key.startsWith(`${HostAnnotation.Reboot}/`);
}

/** It asks for one power cycle. */
export function hasBaseRebootAnnotation(host: BareMetalHost): boolean {
  return annotationOf(host, HostAnnotation.Reboot) !== undefined;
}

/**
 * What the annotations ask for together; undefined: nothing.
 *
 * @param options.onlyForced  only those are heeded that have `force: true`
 */
export function rebootRequest(
  { metadata }: BareMetalHost,
  { onlyForced = false }: { readonly onlyForced?: boolean } = {},
): Reboot | undefined {
  const heeded = Object.entries(metadata?.annotations ?? {})
    .filter(([key]) => isRebootAnnotation(key))
    .map(([key, value]) => ({ key, ...(rebootArguments(value) ?? DEFAULT_ARGUMENTS) }))
    .filter(({ force }) => force || !onlyForced);
  if (heeded.length === 0) return undefined;
  return {
    mode: heeded.some(({ mode }) => mode === 'hard') ? 'hard' : 'soft',
    force: heeded.some(({ force }) => force),
    keys: heeded.map(({ key }) => key).sort(),
  };
}

/** What is told of annotations that nobody understands; they count as `soft`. */
export function rebootAnnotationEvents({ metadata }: BareMetalHost): readonly HostEvent[] {
  return Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => isRebootAnnotation(key) && rebootArguments(value) === undefined)
    .map(([key]) => ({
      reason: 'InvalidAnnotationValue',
      message: `the value of annotation ${key} is not understood`,
    }));
}

interface RebootArguments {
  readonly mode: RebootMode;
  readonly force: boolean;
}

const DEFAULT_ARGUMENTS: RebootArguments = { mode: 'soft', force: false };

/** Undefined: it is no such JSON. A mode that nobody knows is `soft`. */
function rebootArguments(text: string): RebootArguments | undefined {
  if (text === '') return DEFAULT_ARGUMENTS;
  try {
    const value: unknown = JSON.parse(text);
    if (value === null) return DEFAULT_ARGUMENTS;
    if (typeof value !== 'object' || Array.isArray(value)) return undefined;
    // A copy of the own members alone, with nothing behind them.
    const { mode, force } = { __proto__: null, ...value } as { readonly mode?: unknown; readonly force?: unknown };
    if (!isAbsentOr(mode, 'string') || !isAbsentOr(force, 'boolean')) return undefined;
    return { mode: mode === 'hard' ? 'hard' : 'soft', force: force === true };
  } catch {
    return undefined;
  }
}

function isAbsentOr(value: unknown, type: 'string' | 'boolean'): boolean {
  return value === undefined || value === null || typeof value === type;
}
