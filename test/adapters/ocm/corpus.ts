// Valid model files for tests: our own, made up ones, and real ones as far as ../shared brings them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mulberry32 } from '../../../actors/base/clock.ts';
import { synthesize } from './synthetic.ts';

/** A version of our own; `../shared` is not part of the repository. */
export const OWN = fileURLToPath(new URL('./models', import.meta.url));
export const REFERENCE = fileURLToPath(new URL('../../../../shared/reference/ocm-model/model', import.meta.url));

/** Texts by path from the services down. */
export function corpus(): Map<string, string> {
  return new Map([
    ...filesOf(OWN),
    ...(existsSync(REFERENCE) ? filesOf(REFERENCE) : []),
    ...synthesize(mulberry32(1), { files: 30, lines: 1_000, services: 2 }),
  ]);
}

function filesOf(root: string): [string, string][] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.model'))
    .map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')]);
}
