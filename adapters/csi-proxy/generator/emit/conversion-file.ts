// `conversion_generated.ts` of a version: the conversions that are not hand-written, and the automatic part of all.
import { Cardinality } from '../../protos/mod.ts';
import type { VersionApi } from '../api.ts';
import type { Conversion, MatchedField } from '../conversions.ts';
import { conversionName, Direction } from '../hand-written.ts';
import { GENERATED_HEADER, type GroupPaths, RUNTIME, specifier, type VersionPaths } from '../layout.ts';
import { assigned, docText, importText, sortedImports, wrapped } from './text.ts';

export interface ConversionFile {
  readonly api: VersionApi;
  readonly conversions: readonly Conversion[];
  readonly group: GroupPaths;
  readonly paths: VersionPaths;
}

export function autoConversionName(message: string, direction: Direction): string {
  return `autoC${conversionName(message, direction).slice(1)}`;
}

export function conversionFile({ api, conversions, group, paths }: ConversionFile): string {
  const path = paths.conversionGenerated;
  const byName = new Map(conversions.map((one) => [conversionName(one.message, one.direction), one]));
  const handWritten = new Set<string>();
  const used = new Set<'defaults' | 'converted' | 'pb'>();
  /** The function for a message within another. */
  const functionFor = (message: string, direction: Direction): string => {
    const name = conversionName(message, direction);
    if (byName.get(name)?.isHandWritten !== true) return autoConversionName(message, direction);
    handWritten.add(name);
    return name;
  };
  const parts = conversions.map(({ message, direction, isHandWritten, isWhole, fields }) => {
    const doc = docText({ deprecation: api.deprecation });
    const lines = fields.map((field) => `  ${fieldText(field, { direction, functionFor, used })}\n`).join('');
    const [from, to] = direction === Direction.In ? ['pb', 'internal'] : ['internal', 'pb'];
    const [input, out] = fields.length === 0 ? ['_input', '_out'] : ['input', 'out'];
    const name = autoConversionName(message, direction);
    const head = wrapped(
      `export function ${name}(`,
      [`${input}: ${from}.${message}`, `${out}: ${to}.${message}`],
      `): void {${lines === '' ? '}' : ''}`,
    );
    const exported = assigned(`export const ${conversionName(message, direction)} =`, `${name};`);
    return `${doc}${head}\n${lines}${lines && '}\n'}${isWhole && !isHandWritten ? `${doc}${exported}\n` : ''}`;
  });
  const pbImport = `import ${used.has('pb') ? '' : 'type '}* as pb from '${specifier(path, paths.messages)}';\n`;
  const imports = [
    pbImport,
    used.has('converted') ? importText(['converted'], specifier(path, RUNTIME.converting)) : '',
    `import type * as internal from '${specifier(path, group.types)}';\n`,
    used.has('defaults') ? importText(['defaults'], specifier(path, group.typesGenerated)) : '',
    handWritten.size > 0 ? importText([...handWritten], specifier(path, paths.conversion)) : '',
  ];
  return `${GENERATED_HEADER}\n${sortedImports(imports)}\n${parts.join('\n')}`;
}

interface FieldDeps {
  readonly direction: Direction;
  readonly functionFor: (message: string, direction: Direction) => string;
  readonly used: Set<'defaults' | 'converted' | 'pb'>;
}

function fieldText(
  { name, shape: { cardinality, type } }: MatchedField,
  { direction, functionFor, used }: FieldDeps,
): string {
  const to = `out.${name} =`;
  const from = `input.${name}`;
  /** Expression that copies a value, or undefined if values are immutable. */
  const copied = (value: string): string | undefined => {
    if (type.kind !== 'message') return type.name === 'bytes' ? `${value}.slice()` : undefined;
    used.add('converted');
    used.add(direction === Direction.In ? 'defaults' : 'pb');
    const fresh = direction === Direction.In ? `defaults.${type.name}()` : `pb.${type.name}.create()`;
    return `converted(${functionFor(type.name, direction)}, ${value}, ${fresh})`;
  };
  switch (cardinality) {
    case Cardinality.Repeated: {
      const each = copied('value');
      return each === undefined ? `${to} [...${from}];` : callText(`${to} ${from}.map((value) =>`, each, ');');
    }
    case Cardinality.Map: {
      const each = copied('value');
      return each === undefined
        ? `${to} new Map(${from});`
        : callText(`${to} new Map([...${from}].map(([key, value]) =>`, `[key, ${each}]`, '));');
    }
    case Cardinality.Single: {
      const value = copied(from) ?? from;
      return type.kind === 'message' ? assigned(to, `${from} && ${value};`, '  ') : `${to} ${value};`;
    }
  }
}

function callText(before: string, value: string, after: string): string {
  const line = `${before} ${value}${after}`;
  return line.length <= 118 ? line : `${before}\n    ${value},\n  ${after}`;
}
