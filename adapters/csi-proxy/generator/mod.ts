// From protos to servers, clients and conversions.
export { type Changes, Orphans } from './apply.ts';
export { type Bases, DEFAULT_BASES, RUNTIME } from './layout.ts';
export type { Problem } from './problem.ts';
export { type RunOptions, type RunResult, run } from './run.ts';
export { newGroup, newVersion } from './start.ts';
