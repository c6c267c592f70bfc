// A kind of this adapter at work without a cloud, for the check of its contract: everything that it would ask of one is
// noted, and answers of every shape are made up.
import type { Json, JsonObject } from '../../bus/bus.ts';
import { toErrorData } from '../../bus/errors.ts';
import type { ResourceStanding } from '../../machines/external-resource/life.ts';
import type { Observation } from '../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../machines/kind.ts';
import { Tag } from '../../machines/life.ts';
import type { KubeObject } from '../../machines/object.ts';
import { sample } from '../kubernetes/contract-check/samples.ts';
import type { Trial, TriedStatus } from '../kubernetes/contract-check/trial-rules.ts';
import { statusOf } from './conditions.ts';
import { answerOf, knowing } from './contract-answers.ts';
import { matchesAll, queryOf } from './criteria.ts';
import type { OpenStackKind } from './kinds/table.ts';
import { type ManagedKind, managedKind, viewOf } from './managed-kind.ts';
import type { Call, Session, Sessions } from './session.ts';

/** Made-up answers that statuses are read from. Each has other types for its attributes, and few fit a kind at once. */
const ANSWERS = 400;
const EXAMPLES = { 'spec.resyncPeriod': ['1h', '2h'] };
const CREDENTIALS = { secretName: 'tried', cloudName: 'tried' };
const ID = '00000000-0000-4000-8000-000000000000';

export function contractTrial(kind: OpenStackKind): Trial {
  return {
    examples: EXAMPLES,
    treat: (object) => treat(kind, object),
    async statuses() {
      const tried = await Promise.all(Array.from({ length: ANSWERS }, (_, round) => statusFrom(kind, round)));
      return tried.filter((status) => status !== undefined);
    },
  };
}

/** Runs every operation on an object, whatever its state would allow. */
async function treat(kind: OpenStackKind, object: KubeObject): Promise<Json> {
  const done: Json[] = [];
  const read = new Set<string>();
  // Criteria leave a result without their attribute to the server, so each of them is looked at.
  const listed = new Proxy<JsonObject>(
    { id: ID },
    {
      get(target, name) {
        if (typeof name === 'string') read.add(name);
        return Reflect.get(target, name);
      },
    },
  );
  const session: Session = {
    async call(call) {
      done.push(asked(call));
      return { status: 200, body: answering(() => ({ id: ID })) };
    },
    async list(call, key) {
      done.push({ ...asked(call), key });
      return [listed];
    },
  };
  const tried = tryOut(kind, async (namespace, ref) => {
    done.push({ namespace, ...ref });
    return session;
  });
  const { operations } = tried;
  const request = requestOf(object);
  const observation: Observation = { id: ID, attributes: { id: ID }, resource: {}, available: true };
  const steps: readonly (() => Promise<unknown>)[] = [
    () => operations.find(request),
    () => operations.import(request),
    () => operations.create(request),
    () => operations.observe({ ...request, id: ID }),
    () => operations.update({ ...request, observation }),
    () => operations.remove({ ...request, id: ID }),
  ];
  for (const step of steps) await step().catch((error: unknown) => done.push(toErrorData(error).message));
  const view = viewOf(kind, object, { now: 0, defaultResyncMs: 0 });
  // Called after the object whatever its resource is called.
  const children = JSON.stringify(tried.children(object)).replaceAll(object.metadata.name, 'itself');
  const { managed, detached, resyncEveryMs = null } = view;
  return { done, read: [...read].sort(), children, resyncEveryMs, managed, detached };
}

/** The status of an object about which the cloud answers as it does in that round; undefined: with nonsense. */
async function statusFrom(kind: OpenStackKind, round: number): Promise<TriedStatus | undefined> {
  const { attributes, answered } = answerOf(round);
  const resource = knowing(attributes, { id: ID });
  const session: Session = {
    call: async () => ({ status: 200, body: answering(() => resource) }),
    list: async () => [resource],
  };
  // Whatever is answered counts as what was looked for.
  const tried = tryOut(kind, async () => session, { selective: false });
  const object: KubeObject = {
    apiVersion: `${tried.group}/${tried.version}`,
    kind: tried.kind,
    metadata: { name: 'tried', namespace: 'default', uid: 'uid', resourceVersion: '1', generation: 1 },
    // Only what a kind cannot do without: the rest would have to fit what is answered.
    spec: sample('spec', kind.contract.spec, {
      round,
      focus: 'spec.subnetRef',
      as: 'given',
      examples: EXAMPLES,
    }) as JsonObject,
  };
  const observation = await tried.operations.observe({ ...requestOf(object), id: ID });
  if (observation === undefined) return undefined;
  const view: ResourceStanding = {
    generation: object.metadata.generation ?? 0,
    tags: new Set([Tag.Settled]),
    externalId: observation.id,
    observation,
    awaited: [],
    heldBy: [],
    waiting: [],
    leaving: [],
    error: undefined,
    rival: undefined,
    vanished: false,
  };
  return { status: { id: observation.id, ...statusOf(view, object, 0, 0) }, answered };
}

function tryOut(
  kind: OpenStackKind,
  open: Sessions['open'],
  { selective = true }: { readonly selective?: boolean } = {},
): ManagedKind {
  return managedKind(kind, {
    defaultResyncMs: 0,
    sessions: { open, identify: async () => ({ cloud: 'cloud', scope: 'scope' }) },
    servers: async () => [],
    poller: { deadlineAt: () => 0, watch: () => new Promise(() => undefined), close: () => undefined },
    lookUps: {
      async find(session, { service, collection, members }, criteria, call) {
        const query = queryOf(criteria);
        const results = await session.list({ ...call, service: service.type, path: `/${collection}`, query }, members);
        return selective ? results.filter((result) => matchesAll(criteria, result)) : results;
      },
      async read(session, { service, collection, member }, id, call) {
        const { body } = await session.call({
          ...call,
          service: service.type,
          method: 'GET',
          path: `/${collection}/${id}`,
        });
        return body[member] as JsonObject;
      },
    },
  });
}

/** An object that has every member. */
function answering(member: (name: string) => Json): JsonObject {
  return new Proxy<JsonObject>({}, { get: (_, name) => (typeof name === 'string' ? member(name) : undefined) });
}

/** What of a call the cloud gets to see. */
function asked({ service, method = 'GET', path, query = [], headers = {}, body = {} }: Partial<Call>): JsonObject {
  return { service: service ?? '', method, path: path ?? '', query, headers, body };
}

/** A request in which every reference has an id, so that none of them is waited for. */
function requestOf(object: KubeObject): OperationRequest {
  const attributes = answering((member) => (member === 'cloudCredentialsRef' ? CREDENTIALS : `${member} of it`));
  const dependencies = new Proxy<OperationRequest['dependencies']>(
    {},
    { get: (_, name) => ({ id: `id of ${String(name)}`, ready: true, attributes }) },
  );
  return { object, dependencies, deadlineAt: 0, traceparent: '' };
}
