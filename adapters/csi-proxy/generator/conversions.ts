// Plan of a version's conversions: messages, directions, and whether field by field or by a hand-written function.
//
// Invariants:
//   CSI-CONVERSIONS-1. No field is lost without a word: each is matched, declared ignored, or the work of a hand-written function.
//   CSI-CONVERSIONS-2. Functions that generated code calls always exist; unused ones are never required.
import { hint } from '../../text/nearest.ts';
import type { Field, Message } from '../protos/mod.ts';
import { reachable, typeName, type VersionApi } from './api.ts';
import { conversionName, conversionSignature, Direction, type HandWritten } from './hand-written.ts';
import type { InternalMessage, InternalTypes } from './internal-types.ts';
import type { Problem } from './problem.ts';
import { isSameShape, type Shape, shapeOf, shapeText } from './shape.ts';

export interface MatchedField {
  readonly name: string;
  readonly shape: Shape;
}

export interface Conversion {
  /** In TypeScript. */
  readonly message: string;
  readonly direction: Direction;
  readonly isHandWritten: boolean;
  /**
   * Whether the message needs no missing hand-written function. Other messages, which generated code does not call, are
   * for hand-written functions.
   */
  readonly isWhole: boolean;
  /** Fields that are converted without a hand-written function. */
  readonly fields: readonly MatchedField[];
}

export interface VersionConversions {
  readonly conversions: readonly Conversion[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Types that the version needs and the internal types lack. */
  readonly missing: readonly string[];
  /** Internal fields of requests that this version cannot give: `v1alpha1 MkdirRequest.mode`. */
  readonly defaulted: readonly string[];
  /** Internal fields of responses that this version cannot tell. */
  readonly dropped: readonly string[];
}

export interface PlanConversions {
  readonly api: VersionApi;
  readonly internal: InternalTypes;
  readonly handWritten: HandWritten;
}

export function planConversions(given: PlanConversions): VersionConversions {
  const { api, handWritten } = given;
  const roots = {
    in: api.service.rpcs.map(({ request }) => request),
    out: api.service.rpcs.map(({ response }) => response),
  };
  const both = Object.values(Direction).map((direction) => new Planning(given, direction).plan(roots[direction]));
  const all = <Key extends keyof (typeof both)[number]>(key: Key): VersionConversions[Key][number][] =>
    both.flatMap((one): readonly VersionConversions[Key][number][] => one[key]);
  const known = new Set(all('conversions').map(({ message, direction }) => conversionName(message, direction)));
  const uncalled = [...handWritten.functions].filter(([name]) => !known.has(name));
  return {
    conversions: all('conversions'),
    problems: [...all('problems'), ...ignoredProblems(given)],
    warnings: uncalled.map(([name, at]) => ({ at, message: `'${name}' is never called` })),
    missing: [...new Set(all('missing'))],
    defaulted: all('defaulted'),
    dropped: all('dropped'),
  };
}

/** A field and its counterpart, or why it has none. */
type Match = { readonly field: Field } & (
  | { readonly kind: 'matched'; readonly shape: Shape }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'unmatched'; readonly problem: string }
);

class Planning {
  readonly #api: VersionApi;
  readonly #internal: InternalTypes;
  readonly #handWritten: HandWritten;
  readonly #direction: Direction;
  readonly #matches = new Map<string, readonly Match[]>();

  constructor({ api, internal, handWritten }: PlanConversions, direction: Direction) {
    this.#api = api;
    this.#internal = internal;
    this.#handWritten = handWritten;
    this.#direction = direction;
  }

  plan(roots: readonly string[]): Omit<VersionConversions, 'warnings'> {
    const met = reachable(this.#api, roots);
    for (const message of met) {
      this.#matches.set(
        message.path,
        message.fields.map((field) => this.#match(message, field)),
      );
    }
    const called = this.#called([...roots, ...met.filter((one) => this.#isHandWritten(one)).map(({ path }) => path)]);
    const strict = met.filter((message) => called.has(message.path) && !this.#isHandWritten(message));
    const isWhole = (path: string): boolean => called.has(path) || this.#isComplete(path);
    const extra = strict.flatMap((message) => this.#unmatchedInternal(message));
    return {
      conversions: met
        .filter((message) => this.#internalOf(message) !== undefined)
        .map((message) => ({
          message: typeName(message.path),
          direction: this.#direction,
          isHandWritten: this.#isHandWritten(message),
          isWhole: isWhole(message.path),
          // A part that is not whole would lose fields on its way (CSI-CONVERSIONS-1).
          fields: this.#matchesOf(message.path).flatMap((match) =>
            match.kind === 'matched' && (match.field.type.kind !== 'message' || isWhole(match.field.type.name))
              ? [{ name: match.field.jsonName, shape: match.shape }]
              : [],
          ),
        })),
      problems: strict.flatMap((message) => this.#problems(message)),
      missing: met.filter(({ path }) => called.has(path)).flatMap((message) => this.#missing(message)),
      defaulted: this.#direction === Direction.In ? extra : [],
      dropped: this.#direction === Direction.Out ? extra : [],
    };
  }

  #isHandWritten({ path }: Pick<Message, 'path'>): boolean {
    return this.#handWritten.functions.has(conversionName(typeName(path), this.#direction));
  }

  #internalOf({ path }: Pick<Message, 'path'>): InternalMessage | undefined {
    return this.#internal.messages.get(typeName(path));
  }

  #matchesOf(path: string): readonly Match[] {
    return this.#matches.get(path) ?? [];
  }

  #match(message: Message, field: Field): Match {
    const isIgnored = this.#handWritten.ignored.some(
      (ignored) => ignored.message === typeName(message.path) && ignored.field === field.jsonName,
    );
    if (isIgnored) return { field, kind: 'ignored' };
    const internalField = this.#internalOf(message)?.fields.get(field.jsonName);
    const shape = shapeOf(field);
    if (internalField === undefined) {
      const loss = this.#direction === Direction.In ? "the caller's data would be lost" : 'it would never be set';
      const meant = hint(field.jsonName, this.#unmatchedNames(message));
      return { field, kind: 'unmatched', problem: `(${shapeText(shape)}) has no counterpart (none${meant}): ${loss}` };
    }
    if (!isSameShape(shape, internalField.shape)) {
      const types = `(${shapeText(shape)}) and its counterpart (${shapeText(internalField.shape)})`;
      return { field, kind: 'unmatched', problem: `${types} are of different types` };
    }
    const renumbered = field.type.kind === 'enum' ? this.#renumbered(field.type.name) : undefined;
    if (renumbered === undefined) return { field, kind: 'matched', shape };
    return {
      field,
      kind: 'unmatched',
      problem: `(${shapeText(shape)}) and its counterpart number ${renumbered} differently`,
    };
  }

  #renumbered(path: string): string | undefined {
    const numbers = this.#internal.enums.get(typeName(path))?.numbers;
    return this.#api.enums.get(path)?.values.find(({ name, number }) => (numbers?.get(name) ?? number) !== number)
      ?.name;
  }

  /** Messages that generated code converts: those of calls, and those reached through matched fields. */
  #called(from: readonly string[]): ReadonlySet<string> {
    const called = new Set<string>();
    const meet = (path: string): void => {
      if (called.has(path)) return;
      called.add(path);
      for (const { kind, field } of this.#matchesOf(path)) {
        if (kind === 'matched' && field.type.kind === 'message') meet(field.type.name);
      }
    };
    for (const path of from) meet(path);
    return called;
  }

  /** Whether nothing of the message needs a hand that is not there. */
  #isComplete(path: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (seen.has(path) || this.#isHandWritten({ path })) return true;
    return this.#matchesOf(path).every(
      ({ kind, field }) =>
        kind === 'ignored' ||
        (kind === 'matched' &&
          (field.type.kind !== 'message' || this.#isComplete(field.type.name, new Set([...seen, path])))),
    );
  }

  #problems(message: Message): readonly Problem[] {
    if (this.#internalOf(message) === undefined) return []; // among the missing
    const { group, version } = this.#api;
    const name = typeName(message.path);
    return this.#matchesOf(message.path).flatMap((match) => {
      if (match.kind !== 'unmatched') return [];
      const { path, at, jsonName } = match.field;
      const canIgnore = this.#internalOf(message)?.fields.has(jsonName) === false;
      const remedy = [
        `write '${conversionSignature(name, this.#direction)}' in ${this.#handWritten.file}`,
        ...(canIgnore
          ? [`or, if that is right, name it there: ignoredFields = { ${name}: { ${jsonName}: 'reason' } }`]
          : []),
      ].join(', ');
      return [{ at, message: `group ${group}, version ${version}: '${path}' ${match.problem}; ${remedy}` }];
    });
  }

  #missing(message: Message): readonly string[] {
    const missing = this.#internalOf(message) === undefined ? [typeName(message.path)] : [];
    if (this.#isHandWritten(message)) return missing;
    const enums = this.#matchesOf(message.path).flatMap(({ kind, field }) =>
      kind !== 'ignored' && field.type.kind === 'enum' ? [typeName(field.type.name)] : [],
    );
    return [...missing, ...enums.filter((name) => !this.#internal.enums.has(name))];
  }

  #unmatchedInternal(message: Message): readonly string[] {
    return this.#unmatchedNames(message).map((name) => `${this.#api.version} ${typeName(message.path)}.${name}`);
  }

  /** Internal fields that the message of this version does not have. */
  #unmatchedNames(message: Message): readonly string[] {
    const names = new Set(message.fields.map(({ jsonName }) => jsonName));
    return [...(this.#internalOf(message)?.fields.keys() ?? [])].filter((name) => !names.has(name));
  }
}

function ignoredProblems({ api, internal, handWritten }: PlanConversions): readonly Problem[] {
  return handWritten.ignored.flatMap(({ message, field, at }) => {
    const declared = [...api.messages.values()].find(({ path }) => typeName(path) === message);
    if (declared === undefined) {
      const meant = hint(message, [...api.messages.keys()].map(typeName));
      return [{ at, message: `ignored field: this version has no message '${message}'${meant}` }];
    }
    if (!declared.fields.some(({ jsonName }) => jsonName === field)) {
      const meant = hint(
        field,
        declared.fields.map(({ jsonName }) => jsonName),
      );
      return [{ at, message: `ignored field: '${message}' has no field '${field}' in this version${meant}` }];
    }
    if (!internal.messages.get(message)?.fields.has(field)) return [];
    return [{ at, message: `ignored field: '${message}.${field}' has a counterpart, and is converted` }];
  });
}
