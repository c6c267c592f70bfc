// Compatibility of API trees, and the deprecation policy.
export {
  type CheckDeps,
  type Checked,
  type CheckInput,
  checkTrees,
  parseDate,
  parsePolicy,
  readHistory,
} from './check.ts';
export { Policy } from './compare.ts';
export { dayOf } from './dates.ts';
export { differencesOf, diffText } from './diff.ts';
export { type Finding, RULES, type RuleId, Severity } from './finding.ts';
export { recordCalls } from './record.ts';
export { type Outcome, type RecordedCall, type Replay, type ReplayServer, recordedText } from './recorded.ts';
export { replayOn } from './replay.ts';
export { readSource } from './source.ts';
export { deprecatedMembers, statusText } from './status.ts';
export { count, REVIEW, reportText } from './text.ts';
export { type ApiVersion, apiTree, versionOf } from './tree.ts';
