import { readFileSync } from 'node:fs';

/** Of this package, as npm knows it. */
export const TROUPE_VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;

/** How this program names itself to the servers it calls; its first word is the field manager of plain writes. */
export const USER_AGENT = `troupe/${TROUPE_VERSION}`;
