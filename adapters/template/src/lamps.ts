// The kind, and what is done outside for its objects. Each operation may be run twice.
import { AbsentError, type Json, type Observation, type StandardOperations, standardKind } from 'troupe/adapter';
import type { Lamp, LightingClient } from './client.ts';
import { lampContract } from './contract.ts';

export const lamp = standardKind({ contract: lampContract, realm: 'lighting', resyncMs: 60_000 });

export function lampOperations(ask: LightingClient): StandardOperations {
  return {
    // The uid of the object is the name outside: a create whose answer was lost is found by it, and no other Lamp is.
    async find(request) {
      const found = (await ask(
        request,
        'GET',
        `/lamps?name=${request.object.metadata.uid}`,
      )) as unknown as readonly Lamp[];
      return { matches: found.map(observed), exact: true };
    },
    async create(request) {
      const { object, dependencies } = request;
      const { watts, behindRef } = object.spec as { readonly watts: number; readonly behindRef?: string };
      // All references are ready: the id of the other Lamp is known.
      const behind = behindRef === undefined ? undefined : dependencies[`Lamp/${behindRef}`]?.id;
      const body: Json = { name: object.metadata.uid, watts, ...(behind !== undefined && { behind }) };
      return observed((await ask(request, 'POST', '/lamps', body)) as unknown as Lamp);
    },
    async observe(request) {
      try {
        return observed((await ask(request, 'GET', `/lamps/${request.id}`)) as unknown as Lamp);
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async update(request) {
      const { watts } = request.object.spec as { readonly watts: number };
      if (request.observation.attributes['watts'] === watts) return { changed: false };
      await ask(request, 'PATCH', `/lamps/${request.observation.id}`, { watts });
      return { changed: true, fields: ['watts'] };
    },
    async remove(request) {
      try {
        await ask(request, 'DELETE', `/lamps/${request.id}`);
      } catch (error) {
        if (!(error instanceof AbsentError)) throw error;
      }
    },
  };
}

/** One name after another: other members of the service's answer may hold secrets. */
function observed({ id, watts }: Lamp): Observation {
  return { id, attributes: { watts }, resource: { watts }, available: true };
}
