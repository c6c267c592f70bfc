// Which transitions of the machine of Windows storage histories do not take.

/** As `UNREACHABLE` of `coverage.ts`: what no history of Windows storage can take. Tests of the machine have each. */
export const WINDOWS_UNREACHABLE: readonly string[] = [];

/** As `RARE` of `coverage.ts`. */
export const WINDOWS_RARE: readonly string[] = [];
