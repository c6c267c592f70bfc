// Compatibility of API trees, and the deprecation policy.
export { type Checked, type CheckInput, checkTrees, parseDate, parsePolicy, readHistory } from './check.ts';
export { Policy } from './compare.ts';
export { dayOf } from './dates.ts';
export { differencesOf, diffText } from './diff.ts';
export { type Finding, RULES, type RuleId, Severity } from './finding.ts';
export type { Outcome, RecordedCall, Replay, ReplayServer } from './recorded.ts';
export { readSource } from './source.ts';
export { deprecatedMembers, statusText } from './status.ts';
export { count, REVIEW, reportText } from './text.ts';
export { apiTree, versionOf } from './tree.ts';
