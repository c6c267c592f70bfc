// Libraries that few requests need, loaded with the first that does: a server starts sooner and is smaller without them.
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

export const yaml = (): typeof import('yaml') => load('yaml');
export const protobufjs = (): typeof import('protobufjs') => load('protobufjs');
