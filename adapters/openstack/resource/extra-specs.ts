// The extra specs of a volume type: a map that the spec states as a whole, where it states one.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { refused } from '../client/call-errors.ts';
import { isPlainPath } from '../client/ids.ts';
import { isJsonObject } from '../kinds/fields.ts';
import { type Label, mapOf } from '../kinds/labels.ts';
import { CINDER } from '../kinds/services.ts';
import type { UpdateStep } from '../kinds/table.ts';
import { sendExpecting } from './update.ts';

/**
 * Sets those that differ and takes off those that nobody specified, but for what no path can name. Unset, they are left to
 * whoever cares for them.
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
  // One that is gone already is fine.
  for (const name of surplus) await session.call({ ...call, method: 'DELETE', path: pathTo(name) });
  return { changed: true, fields: ['extraSpecs'] };
};

function specsIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
