// Address of a kind's objects at the API server.
import type { Resource } from '../../../machines/kind.ts';
import type { ModelKind } from './kinds.ts';

/** First part of the addresses of the actors of modeled objects. */
export const REALM = 'ocm';

/** The role of the process that serves the models over HTTP. */
export const ROLE = 'ocm';

export function modelResource({ group, version, kind, plural }: ModelKind): Resource {
  return { realm: REALM, group, version, kind, plural };
}
