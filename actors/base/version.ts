import { readFileSync } from 'node:fs';
import { getAsset, isSea } from 'node:sea';

const MANIFEST = 'package.json';

/** The version of this package, as npm knows it. */
export const TROUPE_VERSION: string = JSON.parse(
  isSea() ? getAsset(MANIFEST, 'utf8') : readFileSync(new URL(`../../${MANIFEST}`, import.meta.url), 'utf8'),
).version;

/** The name of this program for the servers that it calls; its first word is the field manager of plain writes. */
export const USER_AGENT = `troupe/${TROUPE_VERSION}`;
