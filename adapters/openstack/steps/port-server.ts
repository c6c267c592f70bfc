// Attributes of the servers that use a port: it changes with them. Its own, for them: `{ users }`,
// the ids of the devices that Neutron shows it plugged into.
import type { JsonObject } from '../../../bus/bus.ts';
import type { Claimant } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { UpdateStep } from '../resource/table.ts';

/** A server says when it is another; this is for what Neutron does after that. */
const POLL_MS = 15_000;

/** Waits for a server that is being built, and for what Neutron does not tell yet of one that was attached or detached. */
export const serverStep: UpdateStep = async ({ request: { claimants = [], observation } }) => {
  const servers = claimants.filter(({ plural }) => plural === 'servers');
  const waiting = servers
    .map((claimant) => waitFor(claimant, observation.id, observation.attributes))
    .filter((message) => message !== undefined);
  if (waiting.length > 0) return { changed: false, waiting, pollAfterMs: POLL_MS };
  // One that gave the port up takes it off only then.
  const { device_id: device, device_owner: owner } = observation.attributes;
  const isOther = servers.every(({ attributes }) => attributes['serverID'] !== device);
  const isPlugged = typeof device === 'string' && device !== '';
  const used = isPlugged && typeof owner === 'string' && owner.startsWith('compute:') && isOther;
  return { changed: false, ...(used && { used }) };
};

/** Whether the status of a port says of it what the server that uses it does. */
export function showsServer({ status }: KubeObject, claimant: Claimant): boolean {
  const { deviceID, status: state, adminStateUp } = (status?.['resource'] ?? {}) as JsonObject;
  const reported = { device_id: deviceID ?? '', status: state ?? null, admin_state_up: adminStateUp ?? null };
  return waitFor(claimant, String(status?.['id']), reported) === undefined;
}

/** Attributes of a port for its servers. */
export function publishedUsers({ status }: KubeObject): JsonObject | undefined {
  const resource = status?.['resource'] as JsonObject | undefined;
  // Without its id it publishes that it had one.
  if (resource === undefined || status?.['id'] === undefined) return undefined;
  const { deviceID } = resource;
  return { users: typeof deviceID === 'string' ? [deviceID] : [] };
}

function waitFor(
  { name, attributes }: Claimant,
  portId: string,
  { device_id: device, status, admin_state_up: isUp }: JsonObject,
): string | undefined {
  const { serverID, status: state, attached } = attributes;
  const isPlugged = device === serverID;
  if (state === 'BUILD') return isPlugged ? `Waiting for Server/${name} to be ready` : undefined;
  if (state !== 'ACTIVE' || !Array.isArray(attached)) return undefined;
  const isAttached = attached.includes(portId);
  if (isAttached && !isPlugged) return 'Server attached port but port status not updated';
  if (!isAttached && isPlugged) return 'Server detached port but port status not updated';
  return isAttached && status === 'DOWN' && isUp === true
    ? 'Port attached to server but status is still DOWN'
    : undefined;
}
