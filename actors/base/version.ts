import { readFileSync } from 'node:fs';
import { getAsset, isSea } from 'node:sea';

const MANIFEST = 'package.json';

/** Version of this package, as in npm. */
export const TROUPE_VERSION: string = JSON.parse(
  isSea() ? getAsset(MANIFEST, 'utf8') : readFileSync(new URL(`../../${MANIFEST}`, import.meta.url), 'utf8'),
).version;

/** User agent for servers; its first word is the field manager of plain writes. */
export const USER_AGENT = `troupe/${TROUPE_VERSION}`;
