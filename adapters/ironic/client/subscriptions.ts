// Event subscriptions of a BMC, as Ironic passes on what the BMC says of them.
import type { JsonObject } from '../../../bus/bus.ts';
import { listOf, mapOf, textOf } from '../json-values.ts';

/** Subscription of a BMC, without its headers, which no API returns. */
export interface Subscription {
  readonly destination: string;
  readonly context: string;
}

/** Ids in a Redfish collection. Its members are links whose last part is the id; some BMCs return the id itself. */
export function subscriptionIdsIn(collection: JsonObject): readonly string[] {
  return listOf(collection['Members']).flatMap((member) => {
    const { Id: id, '@odata.id': link } = mapOf(member);
    const named = textOf(id) || (textOf(link).split('/').filter(Boolean).at(-1) ?? '');
    return named === '' ? [] : [named];
  });
}

export function subscriptionIn(body: JsonObject): Subscription {
  return { destination: textOf(body['Destination']), context: textOf(body['Context']) };
}
