// Reboot annotations of a host.
import { annotationOf, type BareMetalHost, HostAnnotation, type HostEvent } from './host.ts';

export type RebootMode = 'hard' | 'soft';

export interface Reboot {
  /** Mode of switching off: a `hard` request takes precedence over all `soft` ones. */
  readonly mode: RebootMode;
  /** Whether one of them applies in any state of the host. */
  readonly force: boolean;
  /** Annotations that were applied. */
  readonly keys: readonly string[];
}

/** Whether it is a reboot annotation: the one that is removed automatically, or one that a client removes. */
export function isRebootAnnotation(key: string): boolean {
  return key === HostAnnotation.Reboot || key.startsWith(`${HostAnnotation.Reboot}/`);
}

/** It asks for one power cycle. */
export function hasBaseRebootAnnotation(host: BareMetalHost): boolean {
  return annotationOf(host, HostAnnotation.Reboot) !== undefined;
}

/**
 * Combined request of the annotations; undefined if there is none.
 *
 * @param options.onlyForced only those with `force: true`
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

/** Events about invalid annotations; they count as `soft`. */
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

/** Undefined if it is invalid JSON. An unknown mode is `soft`. */
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
