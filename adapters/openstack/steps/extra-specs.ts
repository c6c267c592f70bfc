// The extra specs of a volume type: a map that the spec states as a whole, where it states one.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { isJsonObject } from '../base/fields.ts';
import { type Label, mapOf } from '../base/labels.ts';
import { CINDER } from '../base/services.ts';
import { refused } from '../client/call-errors.ts';
import { isPlainPath } from '../client/ids.ts';
import type { UpdateStep } from '../resource/table.ts';
import { sendExpecting } from '../resource/update.ts';

/**
 * Sets the specs that differ and removes unspecified ones, except for those that no path can name. If the field is
 * unset, they are not managed.
 */
export const extraSpecsStep: UpdateStep = async ({ session, request }) => {
  const { object, observation, deadlineAt, traceparent } = request;
  const { extraSpecs = [] } = (object.spec?.['resource'] ?? {}) as { readonly extraSpecs?: readonly Label[] };
  if (extraSpecs.length === 0) return { changed: false };
  const path = `/types/${encodeURIComponent(observation.id)}/extra_specs`;
  const pathTo = (name: string): string => `${path}/${encodeURIComponent(name)}`;
  const found = specsIn(observation.attributes['extra_specs']);
  const wanted = mapOf(extraSpecs);
  const differing = Object.entries(wanted).filter(([name, value]) => found[name] !== value);
  const surplus = Object.keys(found).filter((name) => wanted[name] === undefined && isPlainPath(pathTo(name)));
  if (differing.length === 0 && surplus.length === 0) return { changed: false };
  const call = { service: CINDER.type, deadlineAt, traceparent };
  if (differing.length > 0) {
    const body = { extra_specs: Object.fromEntries(differing) };
    await sendExpecting(session, { ...call, method: 'POST', path, body }, (error) =>
      refused(error, 'updating resource'),
    );
  }
  // A missing one is removed already.
  for (const name of surplus) await session.call({ ...call, method: 'DELETE', path: pathTo(name) });
  return { changed: true, fields: ['extraSpecs'] };
};

function specsIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
