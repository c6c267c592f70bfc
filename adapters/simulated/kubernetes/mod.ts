// The embedded API server: see server.ts for what it does and what it does not.
export type { CompiledDefinition } from './kinds/definitions.ts';
export {
  type ApiServerOptions,
  type EmbeddedApiServer,
  type RequestCounts,
  type ServerLog,
  startApiServer,
} from './server.ts';
