// The storage of Windows machines as the other rooms see it.
export { windows } from './adapter.ts';
export { GROUP } from './contracts/common.ts';
export { REALM } from './kinds/windows-kind.ts';
export { ROLE } from './names.ts';
