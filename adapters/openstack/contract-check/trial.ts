// A kind of this adapter at work without a cloud, for the check of its contract: everything that it would ask of one is
// noted, and answers of every shape are made up.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { toErrorData } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import type { ResourceState } from '../../../machines/external-resource/lifecycle.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import { Tag } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { sample } from '../../api/contract/check/samples.ts';
import type { Trial, TriedStatus } from '../../api/contract/check/trial-rules.ts';
import { matchesAll, queryOf } from '../base/criteria.ts';
import type { Call, Session, Sessions } from '../client/session.ts';
import { resourceIn } from '../client/wire-format.ts';
import { type ManagedKind, managedKind, viewOf } from '../resource/managed-kind.ts';
import type { OpenStackKind, TableKind } from '../resource/table.ts';
import { statusOf } from '../status/conditions.ts';
import { answerOf, knowing } from './answers.ts';

/** Made-up answers that statuses are read from. Each has other types for its attributes, and few fit a kind at once. */
const ANSWERS = 400;
const DOWNLOADED = 'what is downloaded';
const EXAMPLES = {
  'spec.resyncPeriod': ['1h', '2h'],
  'spec.resource.content.download.hash.value': ['md5', 'sha256'].map((algorithm) =>
    createHash(algorithm).update(DOWNLOADED).digest('hex'),
  ),
  'spec.resource.schedulerHints.query': ['["=", "$vcpus", 1]', '["=", "$vcpus", 2]'],
  'spec.resource.volumes[].device': ['/dev/vdb', '/dev/vdc'],
};
/** Nothing waits for anything. */
const NO_CLOCK: Clock = {
  now: () => 0,
  steady: () => 0,
  setTimeout: () => ({ id: 0 }),
  clearTimeout: () => undefined,
  sleep: async () => undefined,
  random: () => 0,
};
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
  // Criteria leave a result without their attribute to the server, so how often each is looked at tells which there are.
  const read: string[] = [];
  const listed = new Proxy<JsonObject>(
    { id: ID },
    {
      get(target, name) {
        if (typeof name === 'string') read.push(name);
        return Reflect.get(target, name);
      },
    },
  );
  const session: Session = {
    async call(call) {
      done.push(asked(call));
      // The chunks of a stream count, and the result.
      if (call.stream !== undefined) for await (const chunk of call.stream.chunks()) done.push(String(chunk));
      return { status: 200, body: bodyFor(kind, { id: ID }) };
    },
    async list(call, key) {
      done.push({ ...asked(call), key });
      return [listed];
    },
    userId: async () => ID,
  };
  const open: Sessions['open'] = async (namespace, ref) => {
    done.push({ namespace, ...ref });
    return session;
  };
  const tried = tryOut(kind, open, { onDownload: (url) => done.push(url) });
  const { operations } = tried;
  const request = requestOf(object);
  const observed = (more: JsonObject): Observation => ({
    id: ID,
    attributes: { id: ID, ...more },
    resource: {},
    available: true,
  });
  const steps: readonly (() => Promise<unknown>)[] = [
    () => operations.find(request),
    () => operations.import(request),
    () => operations.create(request),
    () => operations.observe({ ...request, id: ID }),
    () => operations.update({ ...request, observation: observed({}) }),
    // Some take changes in this state only.
    () => operations.update({ ...request, observation: observed({ status: 'ACTIVE' }) }),
    async () => operations.delegate?.({ ...request, id: ID }),
    async () =>
      operations.fill?.({
        ...request,
        id: ID,
        signal: new AbortController().signal,
        validUntil: () => request.deadlineAt,
        progress: () => undefined,
      }),
    () => operations.remove({ ...request, id: ID }),
  ];
  for (const step of steps) await step().catch((error: unknown) => done.push(toErrorData(error).message));
  const view = viewOf(kind, object, { now: 0, defaultResyncMs: 0 });
  // Called after the object whatever its resource is called.
  const children = JSON.stringify(tried.children?.(object) ?? []).replaceAll(object.metadata.name, 'itself');
  const { managed, detached, resyncEveryMs = null } = view;
  return { done, read: read.sort(), children, resyncEveryMs, managed, detached };
}

/** The status of an object about which the cloud answers as it does in that round; undefined: with nonsense. */
async function statusFrom(kind: OpenStackKind, round: number): Promise<TriedStatus | undefined> {
  const { attributes, answered } = answerOf(round);
  const resource = knowing(attributes, { id: ID });
  const { parts = {} } = kind as Pick<TableKind, 'parts'>;
  const lists = new Set(Object.values(parts).map(({ member }) => member));
  const session: Session = {
    call: async () => ({ status: 200, body: bodyFor(kind, resource, lists) }),
    list: async () => [resource],
    userId: async () => ID,
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
  const view: ResourceState = {
    generation: object.metadata.generation ?? 0,
    tags: new Set([Tag.Settled]),
    externalId: observation.id,
    observation,
    awaited: [],
    heldBy: [],
    waiting: [],
    reporting: false,
    left: undefined,
    statusNotes: [],
    leaving: [],
    error: undefined,
    conflictingOwner: undefined,
    vanished: false,
  };
  const reported = kind.telling?.announced(object, 'attempted', 0);
  return { status: { id: observation.id, ...reported, ...statusOf(view, object, 0, 0) }, answered };
}

function tryOut(
  kind: OpenStackKind,
  open: Sessions['open'],
  { selective = true, onDownload }: { readonly selective?: boolean; readonly onDownload?: (url: string) => void } = {},
): ManagedKind {
  return managedKind(kind, {
    defaultResyncMs: 0,
    sessions: { open, identify: async () => ({ cloud: 'cloud', scope: 'scope', user: 'user' }) },
    readSecret: async (_, name) => ({ uid: name, resourceVersion: '1', data: contentsOf(name) }),
    clock: NO_CLOCK,
    downloads: {
      async open(url) {
        onDownload?.(url);
        return { totalBytes: undefined, chunks: Readable.from([Buffer.from(DOWNLOADED)]) };
      },
      inTurn: (_namespace, _signal, run) => run(),
      close: async () => undefined,
    },
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
        // A generated resource already has the form that the kind reads.
        return resourceIn({ service, member }, body) as JsonObject;
      },
    },
  });
}

/** The body of an answer about one resource, under whatever name the kind looks for it; some names are those of lists. */
function bodyFor(kind: OpenStackKind, resource: JsonObject, lists: ReadonlySet<string> = new Set()): JsonObject {
  const isBare = 'service' in kind && (kind as TableKind).service.bodies === 'bare';
  return isBare ? resource : answering((name) => (lists.has(name) ? [resource] : resource));
}

/** An object that has every member. */
function answering(member: (name: string) => Json): JsonObject {
  return new Proxy<JsonObject>({}, { get: (_, name) => (typeof name === 'string' ? member(name) : undefined) });
}

/** A Secret that has every key. */
function contentsOf(name: string): Readonly<Record<string, string>> {
  return new Proxy<Record<string, string>>(
    {},
    {
      get: (_, key) => Buffer.from(`${String(key)} of ${name}`).toString('base64'),
      getOwnPropertyDescriptor: () => ({ value: '', configurable: true, enumerable: true, writable: true }),
    },
  );
}

/** Part of a call that the cloud receives. */
function asked({ service, method = 'GET', path, query = [], headers = {}, body = {} }: Partial<Call>): JsonObject {
  return { service: service ?? '', method, path: path ?? '', query, headers, body };
}

/** A request in which every reference has an id, so that none of them is waited for. */
function requestOf(object: KubeObject): OperationRequest {
  const attributesOf = (name: string): JsonObject =>
    answering((member) => (member === 'cloudCredentialsRef' ? CREDENTIALS : `${member} of ${name}`));
  const dependencies = new Proxy<OperationRequest['dependencies']>(
    {},
    { get: (_, name) => ({ id: `id of ${String(name)}`, ready: true, attributes: attributesOf(String(name)) }) },
  );
  return { object, dependencies, deadlineAt: 0, traceparent: '' };
}
