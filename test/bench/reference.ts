// Requests an object that the controllers of these kinds make by their contract, for a server with
// a port, a volume and a floating IP. Computed, not measured: a pass for each status change, and one each interval.

/** Between two looks at what is built, and at a server whose attachments change; at what is removed, in milliseconds. */
const BUILT_MS = 15_000;
const REMOVED_MS = 1_000;
const VOLUME_REMOVED_MS = 15_000;

interface Work {
  readonly serverWorkMs: number;
  readonly volumeWorkMs: number;
}

/** By kind and phase, as they are counted of the actors. */
export function referenceCalls({ serverWorkMs, volumeWorkMs }: Work): Readonly<Record<string, number>> {
  const looks = (workMs: number, everyMs: number): number => Math.ceil(workMs / everyMs);
  return {
    // A list (adoption) and a POST; of a floating IP whose address is not given no list.
    'ports.create': 2,
    'volumes.create': 2,
    'floatingips.create': 1,
    // A list, a POST, the interfaces, and a PUT of the name.
    'servers.create': 4,
    // The pass after the first status, and one each interval; a server is two requests, a volume one.
    'servers.wait': 2 + 2 * looks(serverWorkMs, BUILT_MS),
    'volumes.wait': 1 + looks(volumeWorkMs, BUILT_MS),
    // The volume is attached, and the server read again; port and volume are read when it says so.
    'servers.settle': 1 + 2,
    'ports.settle': 1,
    'volumes.settle': 1,
    // GET and DELETE, then both again until GET answers 404.
    'ports.delete': 3,
    'floatingips.delete': 3,
    'servers.delete': 3 + 3 * looks(serverWorkMs, REMOVED_MS) - 1,
    'volumes.delete': 2 + looks(volumeWorkMs, VOLUME_REMOVED_MS),
  };
}
