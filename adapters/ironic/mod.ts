// Bare metal as the other rooms see it.
export { metal3, metal3With } from './adapter.ts';
export { GROUP } from './api/types.ts';
export type { IronicOptions } from './options.ts';
export { REALM, ROLE } from './serving.ts';
