// Fields of a message that both trees have: C09 to C16, C18, C19, C27.
import { type Field, isNameReserved, isNumberReserved, type Message, type Reserved } from '../protos/mod.ts';
import { Severity } from './finding.ts';
import { type Findings, messageAt, paired, sameRef, sameType, typeText, type VersionScope } from './scope.ts';

const REQUIRED = 'required';
/** Types whose encodings agree, as far as the values fit. */
const ENCODINGS: readonly (readonly string[])[] = [
  ['int32', 'int64', 'uint32', 'uint64', 'bool', 'enum'],
  ['string', 'bytes'],
  ['sint32', 'sint64'],
  ['fixed32', 'sfixed32'],
  ['fixed64', 'sfixed64'],
];

export interface FieldsScope extends VersionScope {
  readonly findings: Findings;
  /** Some request of the base may carry the message. */
  readonly isOfRequest: boolean;
}

export function compareFields(base: Message, current: Message, scope: FieldsScope): void {
  const { findings } = scope;
  const { both, gone, fresh } = paired(base.fields, current.fields, ({ name }) => name);
  for (const [before, after] of both) compareField(before, after, scope);
  const renamed = new Set<Field>();
  for (const field of gone) {
    const heir = fresh.find(({ number }) => number === field.number);
    if (heir !== undefined && sameType(heir, field)) {
      renamed.add(heir);
      const text = `'${field.name}' is renamed to '${heir.name}'; the binary form survives`;
      findings.add('C14', Severity.Break, { path: field.path, at: heir.at }, text);
    } else removeField(field, current.reserved, scope);
  }
  for (const field of fresh) if (!renamed.has(field)) addField(field, base, scope);
  compareReserved(base.reserved, current, scope);
}

function compareField(before: Field, after: Field, { findings, isOfRequest }: FieldsScope): void {
  const breaks = (rule: 'C10' | 'C12' | 'C13' | 'C15' | 'C16' | 'C19', text: string): void =>
    findings.add(rule, Severity.Break, after, text);
  if (before.number !== after.number) breaks('C10', `its number was ${before.number} and is ${after.number}`);
  if (before.cardinality !== after.cardinality)
    breaks('C13', `it was '${typeText(before)}' and is '${typeText(after)}'`);
  else if (!sameType(before, after)) {
    breaks('C12', `it was '${typeText(before)}' and is '${typeText(after)}'; ${encodingText(before, after)}`);
  }
  if (before.oneof !== after.oneof || before.optional !== after.optional) {
    breaks('C15', `it was ${presence(before)} and is ${presence(after)}`);
  }
  if (before.jsonName !== after.jsonName) breaks('C16', `'${before.jsonName}' in JSON is '${after.jsonName}' now`);
  if (isOfRequest && !before.marks.includes(REQUIRED) && after.marks.includes(REQUIRED))
    breaks('C19', 'it is required now');
  findings.compareMarks(before, after);
}

function removeField(field: Field, reserved: Reserved, { findings, judge }: FieldsScope): void {
  const removal = judge(field.path);
  const missing = [
    ...(isNumberReserved(reserved, field.number) ? [] : [`number ${field.number}`]),
    ...(isNameReserved(reserved, field.name) ? [] : [`name "${field.name}"`]),
  ];
  if (missing.length === 0) findings.addRemoval('C09', field, removal);
  else {
    const text = `${removal.text}; its ${missing.join(' and its ')} must be reserved`;
    findings.addRemoval('C09', field, { ...removal, severity: Severity.Break, text });
  }
}

function addField(field: Field, base: Message, { findings, earlier }: FieldsScope): void {
  const { number, name } = field;
  const earlierUses = earlier.flatMap((file) => messageAt(file, base.path)?.fields ?? []);
  const other = [...base.fields, ...earlierUses].find(
    (used) =>
      (used.number === number || used.name === name) &&
      !(used.number === number && used.name === name && sameType(used, field)),
  );
  const reserved = [
    ...(isNumberReserved(base.reserved, number) ? [`number ${number}`] : []),
    ...(isNameReserved(base.reserved, name) ? [`name "${name}"`] : []),
  ];
  if (reserved.length > 0) findings.add('C11', Severity.Break, field, `its ${reserved.join(' and its ')} was reserved`);
  else if (other !== undefined) {
    const what = other.number === number ? `number ${number}` : `name "${name}"`;
    const use = `'${typeText(other)} ${other.name} = ${other.number}' of ${other.at.file}`;
    findings.add('C11', Severity.Break, field, `its ${what} was that of ${use}`);
  } else if (field.marks.includes(REQUIRED)) findings.add('C19', Severity.Break, field, 'added, and required');
  else findings.add('C18', Severity.Info, field, 'added');
}

/** C27, for messages and enums. */
export function compareReserved(
  base: Reserved,
  current: { readonly path: string; readonly at: Message['at']; readonly reserved: Reserved },
  { findings }: Pick<FieldsScope, 'findings'>,
): void {
  for (const { from, to } of base.ranges) {
    if (isCovered(from, to, current.reserved)) continue;
    findings.add('C27', Severity.Break, current, `${from === to ? from : `${from} to ${to}`} is not reserved any more`);
  }
  for (const { name } of base.names) {
    if (!isNameReserved(current.reserved, name)) {
      findings.add('C27', Severity.Break, current, `"${name}" is not reserved any more`);
    }
  }
}

function isCovered(from: number, to: number, { ranges }: Reserved): boolean {
  let next = from;
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    if (range.from <= next && next <= range.to) next = range.to + 1;
  }
  return next > to;
}

function encodingText(before: Field, after: Field): string {
  const agree = (a: string, b: string): boolean =>
    a === b || ENCODINGS.some((group) => group.includes(a) && group.includes(b));
  const encoding = ({ type }: Field): string => (type.kind === 'scalar' ? type.name : type.kind);
  if (!agree(before.keyType ?? '', after.keyType ?? '') || !agree(encoding(before), encoding(after))) {
    return 'the encodings do not agree';
  }
  const areMessages = before.type.kind === 'message' && !sameRef(before.type, after.type);
  return areMessages
    ? 'the encodings agree as far as the messages do'
    : 'the encodings happen to agree where the values fit';
}

function presence({ oneof, optional }: Field): string {
  if (oneof !== undefined) return `in oneof '${oneof}'`;
  return optional ? 'optional' : 'in no oneof';
}
