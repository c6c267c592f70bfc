// Exports of the Windows storage adapter.
export { windows } from './adapter.ts';
export { GROUP } from './contracts/common.ts';
export { REALM } from './kinds/windows-kind.ts';
export { ROLE } from './names.ts';
