// The Kubernetes Events of an object, as they lie at the API server.
import type { JsonObject } from '../../bus/mod.ts';
import { type Kind, resourceOf, type World } from '../world/world.ts';

export interface CoreEvent {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly involvedObject: Readonly<Record<string, string>>;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
  readonly source: JsonObject;
}

/** The event of an object and a reason, once there is one as wanted. */
export async function reported(
  world: World,
  name: string,
  reason: string,
  isSo: (event: CoreEvent) => boolean = () => true,
  kind: Kind = 'Network',
): Promise<CoreEvent> {
  let found: CoreEvent | undefined;
  await world.eventually(`'${name}' is told of as '${reason}'`, async () => {
    const all = await eventsOf(world, name, kind);
    found = all.find((event) => event.reason === reason && isSo(event));
    return found === undefined ? JSON.stringify(all.map(({ reason: other, count }) => [other, count])) : undefined;
  });
  return found as unknown as CoreEvent;
}

export async function reasons(world: World, name: string): Promise<readonly string[]> {
  return (await eventsOf(world, name)).map(({ reason }) => reason).sort();
}

export async function eventsOf(world: World, name: string, kind: Kind = 'Network'): Promise<readonly CoreEvent[]> {
  const selector = `involvedObject.name=${name},involvedObject.kind=${resourceOf(kind).kind}`;
  const path = `/api/v1/namespaces/${world.namespace}/events?fieldSelector=${encodeURIComponent(selector)}`;
  const { body } = await world.client.call({ method: 'GET', path });
  return body['items'] as unknown as CoreEvent[];
}
