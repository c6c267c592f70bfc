import { readFileSync } from 'node:fs';

/** Of this package, as npm knows it. */
export const TROUPE_VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
