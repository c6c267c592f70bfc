export { type ServeDeps, serve } from './server.ts';
