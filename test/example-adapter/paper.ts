// Paper: an external resource, by the life that comes with Troupe and a table of operations.
import {
  AbsentError,
  type DeclaredKind,
  externalResourceLife,
  type JsonObject,
  type KubeObject,
  type Observation,
  type ResourceOperations,
  type ResourceState,
  type ResourceView,
  Tag,
} from 'troupe/adapter';
import { GROUP, VERSION } from './contracts.ts';
import type { Asked, Shop } from './print-shop.ts';

const FINALIZER = `${GROUP}/paper`;

export const paper: DeclaredKind = {
  realm: 'press',
  group: GROUP,
  version: VERSION,
  kind: 'Paper',
  plural: 'papers',
  finalizer: FINALIZER,
  guards: [FINALIZER],
  fieldManagers: { finalizer: 'press/finalizer', guards: 'press/paper' },
  references: () => [],
  children: () => [],
  publicState: (object, isNow = isAvailable(object)) => ({
    ready: isNow && idOf(object) !== undefined,
    id: idOf(object),
    // A book that made it hears when somebody edits it.
    attributes: { grams: gramsOf(object) },
  }),
  life: externalResourceLife({
    view,
    status(standing, object) {
      const { id: _, ...stored } = object.status ?? {};
      return { manager: 'press/paper-status', status: statusOf(standing), stored };
    },
    mayHaveUnrecordedCreate: (object) => isOwned(object) && idOf(object) === undefined,
    ambiguity: 'several rolls have the name of this paper',
  }),
  operations: ['find', 'import', 'create', 'observe', 'update', 'remove'],
};

function view(object: KubeObject): ResourceView {
  const { uid, generation = 0, deletionTimestamp, finalizers = [] } = object.metadata;
  const isSettled = object.status?.['observedGeneration'] === generation && idOf(object) !== undefined;
  return {
    uid,
    generation,
    deleting: deletionTimestamp !== undefined,
    finalizers,
    finalizer: FINALIZER,
    owned: isOwned(object),
    externalId: idOf(object),
    managed: true,
    detached: false,
    settled: isSettled && isAvailable(object) ? 'available' : 'no',
    available: isAvailable(object),
    resyncInMs: undefined,
    resyncEveryMs: undefined,
  };
}

function statusOf({ tags, observation, error, heldBy, generation }: ResourceState): JsonObject {
  if (tags.has(Tag.Failing)) return { phase: 'Failing', message: error?.message ?? '', observedGeneration: generation };
  if (tags.has(Tag.Held)) return { phase: 'Held', message: `held by ${heldBy.join(', ')}` };
  const isThere = tags.has(Tag.Settled) && observation?.available === true;
  return isThere ? { phase: 'Available', observedGeneration: generation } : { phase: 'Pending' };
}

const isAvailable = ({ status }: KubeObject): boolean => status?.['phase'] === 'Available';
const isOwned = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(FINALIZER) === true;
const idOf = ({ status }: KubeObject): string | undefined => status?.['id'] as string | undefined;
const gramsOf = ({ spec }: KubeObject): number => Number(spec?.['grams']);

interface Roll {
  readonly id: string;
  readonly grams: number;
}

/** A roll is named after the uid of its object: whoever comes after a crash finds it, and no other object's. */
export function paperOperations({ ask }: Shop): ResourceOperations {
  const observed = ({ id, grams }: Roll): Observation => ({ id, attributes: { grams }, resource: {}, available: true });
  const roll = async (asked: Asked): Promise<Observation> => observed((await (await ask(asked)).json()) as Roll);
  return {
    async find({ object, ...request }) {
      const response = await ask({ ...request, method: 'GET', path: `/rolls?name=${object.metadata.uid}` });
      const rolls = (await response.json()) as Roll[];
      return { matches: rolls.map(observed), exact: true };
    },
    // Its contract has no import.
    import: async () => undefined,
    async create({ object, ...request }) {
      const body = { name: object.metadata.uid, grams: gramsOf(object) };
      return roll({ ...request, method: 'POST', path: '/rolls', body });
    },
    async observe({ id, ...request }) {
      try {
        return await roll({ ...request, method: 'GET', path: `/rolls/${id}` });
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async update({ object, observation, ...request }) {
      const grams = gramsOf(object);
      if (observation.attributes['grams'] === grams) return { changed: false };
      await ask({ ...request, method: 'PATCH', path: `/rolls/${observation.id}`, body: { grams } });
      return { changed: true, fields: ['grams'] };
    },
    async remove({ id, ...request }) {
      try {
        await ask({ ...request, method: 'DELETE', path: `/rolls/${id}` });
      } catch (error) {
        if (!(error instanceof AbsentError)) throw error;
      }
    },
  };
}
