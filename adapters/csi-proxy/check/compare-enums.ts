// Enums that both trees have: C11, C17, C21, C22.
import { type Enum, type EnumValue, isNameReserved, isNumberReserved } from '../protos/mod.ts';
import { compareReserved } from './compare-fields.ts';
import { Severity } from './finding.ts';
import { type Findings, paired, type VersionScope } from './scope.ts';

const OPEN = 'open-enum';

export interface EnumsScope extends VersionScope {
  readonly findings: Findings;
  /** Some response of the base may carry the enum. */
  readonly isOfResponse: boolean;
}

export function compareEnums(base: Enum, current: Enum, scope: EnumsScope): void {
  const { findings } = scope;
  findings.compareMarks(base, current);
  const { both, gone, fresh } = paired(base.values, current.values, ({ name }) => name);
  for (const [before, after] of both) {
    if (before.number !== after.number) {
      findings.add('C17', Severity.Break, after, `its number was ${before.number} and is ${after.number}`);
    }
    findings.compareMarks(before, after);
  }
  const renamed = new Set<EnumValue>();
  for (const value of gone) {
    const heir = fresh.find(({ number }) => number === value.number);
    if (heir !== undefined) {
      renamed.add(heir);
      const text = `'${value.name}' is renamed to '${heir.name}'`;
      findings.add('C17', Severity.Break, { path: value.path, at: heir.at }, text);
    } else removeValue(value, current, scope);
  }
  for (const value of fresh) if (!renamed.has(value)) addValue(value, base, scope);
  compareReserved(base.reserved, current, scope);
}

function removeValue(value: EnumValue, { reserved }: Enum, { findings, judge }: EnumsScope): void {
  const removal = judge(value.path);
  if (isNumberReserved(reserved, value.number) && isNameReserved(reserved, value.name)) {
    findings.addRemoval('C17', value, removal);
  } else {
    const text = `${removal.text}; its number ${value.number} and its name "${value.name}" must be reserved`;
    findings.addRemoval('C17', value, { ...removal, severity: Severity.Break, text });
  }
}

function addValue(value: EnumValue, base: Enum, { findings, isOfResponse }: EnumsScope): void {
  if (isNumberReserved(base.reserved, value.number) || isNameReserved(base.reserved, value.name)) {
    findings.add('C11', Severity.Break, value, `its number ${value.number} or its name "${value.name}" was reserved`);
  } else if (!isOfResponse) {
    findings.add(
      'C22',
      Severity.Warn,
      value,
      'added; no response carries the enum, servers without the value must refuse it',
    );
  } else if (base.marks.includes(OPEN)) {
    findings.add('C21', Severity.Info, value, 'added to an enum that was declared open');
  } else findings.add('C21', Severity.Break, value, 'added, and responses may carry it');
}
