// Attributes of the servers that use a volume (`Reference.attributes`):
//
//   { serverID, status, attached }  the id and the state of the server in Nova, and the ids of the volumes that are attached to it
//
// It hears from them when that changes; what Cinder tells may be older.
//
// Attributes of a volume for them (`PublicState.attributes`):
//
//   { users }  the ids of the servers that Cinder shows it attached to
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { Claimant } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { idsIn, isJsonObject } from '../base/fields.ts';
import type { UpdateStep } from '../resource/table.ts';

/** Between two looks at a volume on its way to a server, or from it, in milliseconds. */
const POLL_MS = 5_000;

/** Waits for what Cinder does not tell yet of a volume that was attached or detached. */
export const serversStep: UpdateStep = async ({ request: { claimants = [], observation } }) => {
  const servers = claimants.filter(({ plural }) => plural === 'servers');
  const waiting = servers.map((claimant) => waitFor(claimant, observation)).filter((message) => message !== undefined);
  if (waiting.length > 0) return { changed: false, waiting, pollAfterMs: POLL_MS };
  // One that gave the volume up takes it off only then.
  const used = serversIn(observation.attributes['attachments']).some((server) =>
    servers.every(({ attributes }) => attributes['serverID'] !== server),
  );
  return { changed: false, ...(used && { used }) };
};

/** Whether the status of a volume says of it what the server that uses it does. */
export function showsServer({ status: stored }: KubeObject, claimant: Claimant): boolean {
  const { attachments = [], status = null } = (stored?.['resource'] ?? {}) as JsonObject;
  const reported = (attachments as readonly JsonObject[]).map(({ serverID = null }) => ({ server_id: serverID }));
  const attributes = { attachments: reported, status };
  return waitFor(claimant, { id: String(stored?.['id']), attributes }) === undefined;
}

/** Attributes of a volume for its servers. */
export function publishedUsers({ status }: KubeObject): JsonObject | undefined {
  const resource = status?.['resource'] as JsonObject | undefined;
  // Without its id it publishes that it had one.
  if (resource === undefined || status?.['id'] === undefined) return undefined;
  return { users: idsIn(resource['attachments'], 'serverID') };
}

function waitFor(
  { attributes: { serverID, status: state, attached } }: Claimant,
  { id, attributes: { attachments, status } }: Pick<Observation, 'id' | 'attributes'>,
): string | undefined {
  // The attachments of a server that is being built are not known yet.
  if (state === 'BUILD' || !Array.isArray(attached)) return undefined;
  const isKnown = serversIn(attachments).includes(serverID);
  if (!attached.includes(id)) return isKnown ? 'Server detached volume but volume status not updated' : undefined;
  if (!isKnown) return 'Server attached volume but volume status not updated';
  return status === 'in-use' ? undefined : 'Volume attached to server but status is not in-use';
}

function serversIn(attachments: Json | undefined): readonly (Json | undefined)[] {
  return (Array.isArray(attachments) ? attachments : []).filter(isJsonObject).map(({ server_id: server }) => server);
}
