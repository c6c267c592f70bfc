// What differs between any two servers becomes a placeholder: equal values the same one, within a case.
//
// Invariants:
//   TEST-NORMALIZE-1. Two answers are equal after normalization only if the same uids, names, versions and tokens stand at the same
//       places, and each version of an object was newer than those seen before, or was not, on both servers.
//   TEST-NORMALIZE-2. An instant is replaced only when it is of today: what the case wrote itself is compared as it is.
import { systemClock } from '../../../../actors/base/clock.ts';
import { isMap } from '../../../../adapters/text/json.ts';

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** A JSON web token: issued anew each time, signed with the server's own key. */
const WEB_TOKEN = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?/g;
const GENERATED_SUFFIX = '[bcdfghjklmnpqrstvwxz2456789]{5}';
/** What is kept of the prefix of a generated name, in characters. */
const PREFIX_LENGTH = 58;
/** What instants may be away from now, in milliseconds. */
const NEAR_MS = 24 * 3_600_000;

const clock = systemClock();

export interface Normalizer {
  /** Replaces what the server made up. Later calls know what earlier ones saw. */
  normalize(value: unknown): unknown;
  /** From now on, names that the server made from this prefix are replaced. */
  expectGenerated(generateName: string): void;
}

/** @param given  values of this run (its namespace, its group) and what to call them */
export function normalizer(given: ReadonlyMap<string, string>): Normalizer {
  const known = new Map<string, string>(given);
  const revisions = new Map<string, string>();
  const generated: { readonly prefix: string; readonly pattern: RegExp }[] = [];
  let newest = 0n;
  let uids = 0;
  let names = 0;
  let tokens = 0;

  const uid = (text: string): string => {
    let name = known.get(text);
    if (name === undefined) {
      name = `<uid ${++uids}>`;
      known.set(text, name);
    }
    return name;
  };

  const objectRevision = (text: string): string => {
    if (!/^\d+$/.test(text)) return text;
    let name = revisions.get(text);
    if (name === undefined) {
      const isNewer = BigInt(text) > newest;
      name = `<revision ${revisions.size + 1}${isNewer ? '' : ', older than one before'}>`;
      revisions.set(text, name);
      if (isNewer) newest = BigInt(text);
    }
    return name;
  };

  /** Of a list or a bookmark: at least that of the newest object seen, or less. */
  const listRevision = (text: string): string => {
    if (!/^\d+$/.test(text)) return text;
    return BigInt(text) >= newest ? '<current revision>' : '<past revision>';
  };

  const text = (value: string): string => {
    let result = value.replaceAll(WEB_TOKEN, '<web token>').replaceAll(CERTIFICATE, '<certificate>');
    result = result.replaceAll(UID, uid);
    result = result.replaceAll(INSTANT, (instant, fraction: string | undefined) => {
      if (Math.abs(Date.parse(instant) - clock.now()) > NEAR_MS) return instant;
      return fraction === undefined ? '<time>' : `<time with ${fraction.length - 1} digits>`; // TEST-NORMALIZE-2
    });
    for (const { prefix, pattern } of generated) {
      for (const [name] of result.matchAll(pattern)) {
        if (!known.has(name)) known.set(name, `<generated ${++names}: ${prefix}>`);
      }
    }
    for (const [from, to] of known) result = result.replaceAll(from, to);
    // A year is no revision, nor is a limit or what exceeds it, though a server may be at just that revision.
    result = result.replaceAll(
      /(?<!\b(?:is|got) )\b\d{2,}\b(?!-\d\d-\d\d)/g,
      (digits) => revisions.get(digits) ?? digits,
    );
    return result
      .replaceAll(/(resourceVersion: )"(\d+|<[^>]*>)"/g, '$1<some revision>')
      .replaceAll(/(current: )(\d+|<[^>]*>)/g, '$1<current revision>')
      .replaceAll(/(too old resource version: [^(]*)\((\d+|<[^>]*>)\)/g, '$1(<some revision>)');
  };

  const visit = (value: unknown, key: string, parent: Readonly<Record<string, unknown>> | undefined): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item) => visit(item, key, undefined));
      // Entries of one second are in any order.
      return key === 'managedFields'
        ? items
            .map((item) => JSON.stringify(item))
            .sort()
            .map((text) => JSON.parse(text))
        : items;
    }
    if (typeof value === 'string') {
      if (key === 'resourceVersion') return isObjectMeta(parent) ? objectRevision(value) : listRevision(value);
      if (key === 'continue' && value !== '') return `<token ${++tokens}>`;
      if (key === 'cells' && /^\d{1,2}s$/.test(value)) return '<age>';
      return text(value);
    }
    if (!isMap(value)) return value;
    const keys = Object.keys(value).sort();
    return Object.fromEntries(keys.map((name) => [text(name), visit(value[name], name, value)]));
  };

  return {
    normalize: (value) => visit(value, '', undefined),
    expectGenerated(generateName) {
      const prefix = generateName.slice(0, PREFIX_LENGTH);
      const escaped = prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
      generated.push({
        prefix,
        pattern: new RegExp(`(?<![-a-z0-9.])${escaped}${GENERATED_SUFFIX}(?![-a-z0-9.])`, 'g'),
      });
    },
  };
}

const isObjectMeta = (metadata: Readonly<Record<string, unknown>> | undefined): boolean =>
  metadata !== undefined && ('uid' in metadata || 'name' in metadata);
