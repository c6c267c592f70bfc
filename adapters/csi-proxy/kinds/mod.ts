// The storage of Windows machines, for `--adapters`.
export { windows as adapter } from './adapter.ts';
