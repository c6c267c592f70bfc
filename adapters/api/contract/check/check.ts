// Whether the contracts of kinds are what contracts have to be. Run when Troupe is built, never by a running one.
import type { KindContract } from '../crds.ts';
import { judgeField } from './field-rules.ts';
import { type ContractProblem, type ContractRule, fieldsOf } from './fields.ts';
import { judgeTrial, type Trial } from './trial-rules.ts';

export interface CheckedKind {
  readonly contract: KindContract;
  /** Without it the contract alone is judged, not what is done with it. */
  readonly trial?: Trial;
}

/** A rule that a field may break. */
export interface Exemption {
  /** `*`: every kind. */
  readonly kind: string;
  readonly path: string;
  readonly rule: ContractRule;
  readonly why: string;
}

/** Problems of the contracts, including unused exemptions. Empty if there are none. */
export async function checkContracts(
  kinds: readonly CheckedKind[],
  exemptions: readonly Exemption[],
): Promise<readonly ContractProblem[]> {
  const complaints: ContractProblem[] = [];
  for (const { contract, trial } of kinds) {
    complaints.push(...fieldsOf(contract).flatMap((field) => judgeField(contract.kind, field)));
    if (trial !== undefined) complaints.push(...(await judgeTrial(contract, trial)));
  }
  const unneeded = exemptions.filter((exemption) => !complaints.some((finding) => isExempt(finding, exemption)));
  return [
    ...complaints.filter((finding) => !exemptions.some((exemption) => isExempt(finding, exemption))),
    ...unneeded.map(({ kind, path, rule }) => ({
      kind,
      path,
      rule,
      message: 'is exempt from this rule and keeps it: remove the exemption',
    })),
  ];
}

/** One line for people. */
export function contractProblemText({ kind, path, rule, message }: ContractProblem): string {
  return `${kind} ${path} ${message} (${rule})`;
}

function isExempt(finding: ContractProblem, { kind, path, rule }: Exemption): boolean {
  return (kind === '*' || kind === finding.kind) && path === finding.path && rule === finding.rule;
}
