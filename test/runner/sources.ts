// Files that the runner is made of, for tests that run it on a tree of their own; paths from the root.
export const RUNNER_SOURCES: readonly string[] = [
  'actors/base/clock.ts',
  'actors/testing/clock.ts',
  'actors/testing/time.ts',
  'deploy/script-options.ts',
  'test/run.ts',
  'test/runner',
  'test/simulation/time.ts',
  'test/world/clock.ts',
];
