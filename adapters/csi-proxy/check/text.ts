// Findings for people.
import type { Checked } from './check.ts';
import { type Finding, RULES, Severity } from './finding.ts';

/** Points for a manual review, which no comparison can check. */
export const REVIEW = [
  'Does any field, RPC or enum value mean something else than before?',
  'Does an absent field still have the same effect, and is every default as it was?',
  'Is any call slower, or does it do more to the host than before?',
  'Does a server without the change ignore or refuse it without harm, and does the client cope with that?',
] as const;

/** One finding as `file:line:column: severity rule group/version element: text`, and what it means where it is no news. */
export function findingText({ rule, severity, group, version, element, text, at }: Finding): string {
  // Generated code is of the tree as a whole.
  const what = [...(group === '' ? [] : [`${group}/${version}`]), ...(element === '' ? [] : [element])];
  const head = `${at.file}:${at.line}:${at.column}: ${[severity, rule, ...what].join(' ')}: ${text}`;
  if (severity === Severity.Info) return head;
  const { breaks, remedy } = RULES[rule];
  return `${head}\n    breaks: ${breaks}\n    do: ${remedy}`;
}

export function count(findings: readonly Finding[], severity: Severity): number {
  return findings.filter((finding) => finding.severity === severity).length;
}

export function reportText({ findings, notChecked }: Checked): string {
  const lines = findings.map(findingText);
  if (findings.some(({ severity }) => severity !== Severity.Break)) {
    lines.push('For the reviewer, since no tool sees it:', ...REVIEW.map((question) => `  - ${question}`));
  }
  lines.push(...notChecked.map(({ rules, reason }) => `not checked: ${rules.join(', ')}: ${reason}`));
  const [breaks, warnings, infos] = [Severity.Break, Severity.Warn, Severity.Info].map((severity) =>
    count(findings, severity),
  );
  lines.push(
    findings.length === 0 ? 'nothing has changed that matters' : `${breaks} break, ${warnings} warn, ${infos} info`,
  );
  return `${lines.join('\n')}\n`;
}
