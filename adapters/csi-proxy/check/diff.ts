// Differences between two versions of a group. Any is allowed; those converted by hand are listed.
import { allEnums, allMessages, type Field, type ProtoFile, type Rpc } from '../protos/mod.ts';
import { typeText } from './scope.ts';

/** Parts of a message, an enum or the service that only one of two versions has. */
export interface Difference {
  readonly element: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** The older version has a conversion of its own for the message. */
  readonly isConvertedByHand: boolean;
}

/** @param conversions  the older version's `conversion.ts`, empty if there is none */
export function differencesOf(older: ProtoFile, newer: ProtoFile, conversions: string): readonly Difference[] {
  const [before, after] = [declarations(older), declarations(newer)];
  const byHand = new Set(
    Array.from(
      conversions.matchAll(/^export (?:function|const) convert_(?:pb|internal)_(\w+)_To_/gm),
      ([, type]) => type,
    ),
  );
  const elements = [...new Set([...before.keys(), ...after.keys()])];
  return elements.flatMap((element) => {
    const [was = [], is = []] = [before.get(element), after.get(element)];
    const [removed, added] = [was.filter((line) => !is.includes(line)), is.filter((line) => !was.includes(line))];
    return removed.length + added.length === 0
      ? []
      : [{ element, removed, added, isConvertedByHand: byHand.has(element) }];
  });
}

/**
 * Lines of each block, by its path. The first is the block itself, which distinguishes empty blocks from absent ones.
 */
function declarations(file: ProtoFile): ReadonlyMap<string, readonly string[]> {
  return new Map<string, readonly string[]>([
    ...file.services.map(({ path, rpcs }) => [path, [`service ${path}`, ...rpcs.map(rpcText)]] as const),
    ...allMessages(file).map(({ path, fields }) => [path, [`message ${path}`, ...fields.map(fieldText)]] as const),
    ...allEnums(file).map(
      ({ path, values }) =>
        [path, [`enum ${path}`, ...values.map(({ name, number }) => `${name} = ${number}`)]] as const,
    ),
  ]);
}

function rpcText({ name, request, requestStream, response, responseStream }: Rpc): string {
  return `rpc ${name}(${requestStream ? 'stream ' : ''}${request}) returns (${responseStream ? 'stream ' : ''}${response})`;
}

function fieldText(field: Field): string {
  const { name, number, oneof, optional } = field;
  const text = `${optional ? 'optional ' : ''}${typeText(field)} ${name} = ${number}`;
  return oneof === undefined ? text : `${text} (oneof ${oneof})`;
}

export function diffText(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'no difference\n';
  return differences
    .map(({ element, removed, added, isConvertedByHand }) =>
      [
        `${element}${isConvertedByHand ? ', converted by hand' : ''}`,
        ...removed.map((line) => `  - ${line}`),
        ...added.map((line) => `  + ${line}`),
        '',
      ].join('\n'),
    )
    .join('');
}
