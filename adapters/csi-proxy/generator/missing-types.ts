// Types that some version uses and the internal types lack, with their text to be completed.
import { hint } from '../../text/nearest.ts';
import type { Enum, Message } from '../protos/mod.ts';
import { typeName, type VersionApi } from './api.ts';
import type { VersionConversions } from './conversions.ts';
import { importingTypes, internalTypeText } from './emit/scaffold-files.ts';
import { importText } from './emit/text.ts';
import type { InternalTypes } from './internal-types.ts';
import { RUNTIME, specifier } from './layout.ts';
import { compareText, type Problem } from './problem.ts';

export interface ConvertedVersion {
  readonly api: VersionApi;
  readonly converted: Pick<VersionConversions, 'missing'>;
}

/**
 * @param versions  the oldest first
 * @param path  of the internal types; absolute
 */
export function missingTypes(
  versions: readonly ConvertedVersion[],
  internal: InternalTypes,
  path: string,
): readonly Problem[] {
  const uses = versions.flatMap(({ api, converted }) =>
    withParts(api, converted.missing, internal).map((name) => ({ name, api })),
  );
  if (uses.length === 0) return [];
  const known = new Set(versions.flatMap(({ api }) => [...api.messages.keys(), ...api.enums.keys()].map(typeName)));
  const unused = [...internal.messages.keys(), ...internal.enums.keys()].filter((name) => !known.has(name));
  const missing = [...Map.groupBy(uses, ({ name }) => name)].sort(([a], [b]) => compareText(a, b));
  const names = missing.map(([name, of]) => {
    const where = of.map(({ api }) => api.version).join(', ');
    return `${name} (${where}${hint(name, unused)})`;
  });
  return [
    {
      at: { file: internal.file },
      message: `types that a version uses are missing: ${names.join(', ')}; to start from, as in the newest version`,
      paste: pasteText(missing, internal, path),
    },
  ];
}

/** Those that are missing, and what they are made of as far as that is missing too. */
function withParts(api: VersionApi, missing: readonly string[], internal: InternalTypes): readonly string[] {
  const found = new Set<string>();
  const meet = (name: string): void => {
    if (found.has(name) || internal.messages.has(name) || internal.enums.has(name)) return;
    found.add(name);
    for (const { type } of declared(api, name, 'messages')?.fields ?? []) {
      if (type.kind !== 'scalar') meet(typeName(type.name));
    }
  };
  for (const name of missing) meet(name);
  return [...found];
}

function declared<Kind extends 'messages' | 'enums'>(api: VersionApi, name: string, kind: Kind) {
  const all: ReadonlyMap<string, Kind extends 'messages' ? Message : Enum> = api[kind] as never;
  return [...all].find(([path]) => typeName(path) === name)?.[1];
}

function pasteText(
  missing: readonly (readonly [string, readonly { readonly api: VersionApi }[]])[],
  internal: InternalTypes,
  path: string,
): string {
  const imported = new Set<string>();
  const texts = missing.flatMap(([name, of]) => {
    const api = of.at(-1)?.api;
    const type = api && (declared(api, name, 'messages') ?? declared(api, name, 'enums'));
    if (api === undefined || type === undefined) return [];
    const { use, imports } = importingTypes(api);
    const text = internalTypeText(type, use);
    for (const one of imports()) imported.add(one);
    return [text];
  });
  const wanted = [...imported].filter(
    (name) => !internal.imported.has(name.replace(/^type /, '').replace(/^.* as /, '')),
  );
  const head = wanted.length === 0 ? [] : [importText(wanted, specifier(path, RUNTIME.scalars))];
  return [...head, ...texts].join('\n');
}
