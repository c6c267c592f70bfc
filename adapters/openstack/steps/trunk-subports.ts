// The ports whose traffic a trunk carries: a set that the spec states as a whole.
//
// Invariant:
//   OS-TRUNK-SUBPORTS-1. A port whose segmentation changes is always removed before it is added again, and all removals
//       precede additions: a new port may use a segmentation that is occupied until then.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { NEUTRON } from '../base/services.ts';
import { errorTypeOf, refused, transient } from '../client/call-errors.ts';
import type { UpdateStep } from '../resource/table.ts';
import { sendExpecting } from '../resource/update.ts';

interface Subport {
  readonly port_id: string;
  readonly segmentation_id: number;
  readonly segmentation_type: string;
}

/** A subport of `spec.resource.subports`, as the API server has checked it. */
interface SpecSubport {
  readonly portRef: string;
  readonly segmentationID: number;
  readonly segmentationType: string;
}

/** Adds the missing ports and removes unspecified ones; a trunk that is down is up meanwhile. */
export const subportsStep: UpdateStep = async ({ session, request }) => {
  const { object, dependencies, observation, deadlineAt, traceparent } = request;
  const resource = (object.spec?.['resource'] ?? {}) as JsonObject;
  const specified = (resource['subports'] ?? []) as unknown as readonly SpecSubport[];
  const unready = specified.filter(({ portRef }) => dependencies[`Port/${portRef}`]?.ready !== true);
  const wanted = specified.flatMap(({ portRef, segmentationID, segmentationType }): readonly Subport[] => {
    const { id } = dependencies[`Port/${portRef}`] ?? {};
    return id === undefined
      ? []
      : [{ port_id: id, segmentation_id: segmentationID, segmentation_type: segmentationType }];
  });
  const found = subportsIn(observation.attributes['sub_ports']);
  const missing = wanted.filter((subport) => !found.some((other) => isSame(subport, other)));
  // An unknown one may be among the existing ones.
  const isKnown = wanted.length === specified.length;
  const surplus = isKnown ? found.filter((subport) => !wanted.some((other) => isSame(subport, other))) : [];
  const readyIds = new Set(
    specified.flatMap(({ portRef }) => {
      const port = dependencies[`Port/${portRef}`];
      return port?.ready === true ? [port.id] : [];
    }),
  );
  const added = missing.filter(({ port_id: id }) => readyIds.has(id));
  const waiting =
    added.length < missing.length || !isKnown
      ? unready.map(({ portRef }) => `Waiting for Port/${portRef} to be ready`)
      : [];
  const unused = unready
    .filter(({ portRef }) => !found.some(({ port_id: id }) => id === dependencies[`Port/${portRef}`]?.id))
    .map(({ portRef }) => `Port/${portRef}`);
  if (added.length === 0 && surplus.length === 0) return { changed: false, waiting, unused };
  const path = `/trunks/${encodeURIComponent(observation.id)}`;
  const put = (suffix: string, body: JsonObject, doing: string): Promise<void> =>
    sendExpecting(
      session,
      { service: NEUTRON.type, method: 'PUT', path: `${path}${suffix}`, deadlineAt, traceparent, body },
      // Another trunk that still carries the port may be about to give it up.
      // mutant: moved-subport-refused ?: -> $3
      (error) => (errorTypeOf(error) === 'TrunkPortInUse' ? transient(error) : refused(error, doing)),
    );
  const bring = (isUp: boolean): Promise<void> => put('', { trunk: { admin_state_up: isUp } }, 'updating resource');
  const isDown = resource['adminStateUp'] === false;
  if (isDown) await bring(true);
  try {
    const removed = surplus.map(({ port_id }) => ({ port_id }));
    if (removed.length > 0) await put('/remove_subports', { sub_ports: removed }, 'removing subports');
    if (added.length > 0) await put('/add_subports', { sub_ports: added as unknown as Json }, 'adding subports');
  } finally {
    if (isDown) await bring(false);
  }
  return { changed: true, fields: ['subports'], waiting, unused };
};

/**
 * A port that inherits its segmentation is returned with that of its network: only specified values can be compared.
 */
function isSame(one: Subport, other: Subport): boolean {
  if (one.port_id !== other.port_id) return false;
  if ([one, other].some(({ segmentation_type: type }) => type === 'inherit')) return true;
  return one.segmentation_id === other.segmentation_id && one.segmentation_type === other.segmentation_type;
}

function subportsIn(value: Json | undefined): readonly Subport[] {
  return Array.isArray(value) ? (value as unknown as readonly Subport[]) : [];
}
