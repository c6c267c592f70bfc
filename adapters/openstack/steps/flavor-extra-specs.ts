// The extra specs of a flavor: a map that the spec states as a whole.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { isJsonObject } from '../base/fields.ts';
import { NOVA } from '../base/services.ts';
import { joined, refused } from '../client/call-errors.ts';
import type { UpdateStep } from '../resource/table.ts';
import { sendExpecting } from '../resource/update.ts';

/** Sets new and changed specs in one request, and removes unspecified ones. */
export const extraSpecsStep: UpdateStep = async ({ session, request }) => {
  const { object, observation, deadlineAt, traceparent } = request;
  const { extraSpecs = [] } = (object.spec?.['resource'] ?? {}) as {
    readonly extraSpecs?: readonly { readonly name: string; readonly value: string }[];
  };
  const { extra_specs: reported } = observation.attributes;
  const found: JsonObject = isJsonObject(reported) ? reported : {};
  const missing = extraSpecs.filter(({ name, value }) => found[name] !== value);
  const surplus = Object.keys(found).filter((name) => extraSpecs.every((spec) => spec.name !== name));
  if (missing.length === 0 && surplus.length === 0) return { changed: false };
  const call = {
    service: NOVA.type,
    path: `/flavors/${encodeURIComponent(observation.id)}/os-extra_specs`,
    deadlineAt,
    traceparent,
  };
  const set = async (): Promise<void> => {
    if (missing.length === 0) return;
    const specs: Json = Object.fromEntries(missing.map(({ name, value }) => [name, value]));
    await sendExpecting(session, { ...call, method: 'POST', body: { extra_specs: specs } }, (error) =>
      refused(error, 'updating resource extra specs'),
    );
  };
  const take = async (name: string): Promise<void> => {
    await session
      .call({ ...call, method: 'DELETE', path: `${call.path}/${encodeURIComponent(name)}` })
      .catch((error: unknown) => {
        throw refused(error, 'deleting resource extra spec');
      });
  };
  const errors: unknown[] = [];
  // One after the other: Nova changes the map of a flavor as a whole.
  for (const change of [set, ...surplus.map((name) => () => take(name))]) {
    await change().catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw joined(errors);
  return { changed: true, fields: ['extraSpecs'] };
};
