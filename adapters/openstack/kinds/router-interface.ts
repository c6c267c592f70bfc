// RouterInterface: the plug of a router on a subnet. Neutron makes a port for it, and knows it by the router alone.
//
// Invariants:
//   OS-ROUTER-INTERFACE-1. The interface of a router on a subnet is always the one port of the router with an address
//       on that subnet: there is never a second one, and an interface is found by that, whichever client made it.
//       Neutron may keep several IPv6 subnets of a network on one port: each of them is an interface of its own.
//   OS-ROUTER-INTERFACE-2. It is taken off through its router, by its subnet: the port is not deleted behind the router's back.

import type { JsonObject } from '../../../bus/bus.ts';
import { TransientError, UnknownOutcomeError } from '../../../bus/errors.ts';
import { externalIdOf } from '../../../machines/external-resource/effects.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { OperationRequest, Reference } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { object, ref, required, string } from '../../api/contract/contract.ts';
import { type Criterion, equalTo } from '../base/criteria.ts';
import { isJsonObject } from '../base/fields.ts';
import { plain, projected } from '../base/projection.ts';
import { NEUTRON } from '../base/services.ts';
import { Decision, INTERFACE_STATES, stateOf } from '../base/states.ts';
import { transient } from '../client/call-errors.ts';
import { checkedOperations, type WatchingOperations } from '../client/checked-operations.ts';
import type { Answer, Session } from '../client/session.ts';
import { frameOf, resyncPeriod } from '../resource/common-contract.ts';
import { hintOn } from '../resource/hints.ts';
import type { OpenStackKind, OperationsDeps } from '../resource/table.ts';
import { namesOf } from './kind.ts';

const KIND = 'RouterInterface';
const names = namesOf(KIND);

/** Owners of the ports that are interfaces of a router, whatever kind of router it is. */
const OWNERS: ReadonlySet<unknown> = new Set([
  'network:router_interface',
  'network:ha_router_replicated_interface',
  'network:router_interface_distributed',
]);

const PORTS = { service: NEUTRON, collection: 'ports', member: 'port', members: 'ports' } as const;

/** All that is asked of the port. */
const READ = plain('id', 'status');

const spec = object(
  'spec is what the user wants.',
  {
    type: required(string('type is what is connected: a `Subnet`.', { enum: ['Subnet'], minLength: 1, maxLength: 8 })),
    routerRef: required(ref('Router', 'routerRef is the Router that is connected.', { guarded: true })),
    subnetRef: ref('Subnet', 'subnetRef is the Subnet that it is connected to.', { guarded: true }),
    resyncPeriod,
  },
  {
    rules: [
      {
        message: "subnetRef is required when type is 'Subnet' and not permitted otherwise",
        rule: "self.type == 'Subnet' ? has(self.subnetRef) : !has(self.subnetRef)",
      },
      { message: 'type is immutable', rule: 'self.type == oldSelf.type' },
      { message: 'routerRef is immutable', rule: 'self.routerRef == oldSelf.routerRef' },
      {
        message: 'subnetRef is immutable',
        rule: 'has(self.subnetRef) == has(oldSelf.subnetRef) && (!has(self.subnetRef) || self.subnetRef == oldSelf.subnetRef)',
      },
    ],
  },
);

export const routerInterface: OpenStackKind = {
  kind: KIND,
  ...names,
  // One manager owns what both of them own elsewhere.
  fieldManagers: { ...names.fieldManagers, status: names.fieldManagers.finalizer },
  contract: frameOf({ kind: KIND, description: 'RouterInterface connects a Router with a Subnet.', spec }),
  externalId: externalIdOf,
  shares: true,
  // Without its router nothing is known of its subnet.
  awaits: 'first',
  projection: READ,
  references,
  operations,
  hintFor: (object, message, known) => hintOn({ references }, object, message, known),
};

/** Both are needed to the end: the credentials are the router's, and an interface is known by router and subnet. */
function references({ spec, metadata }: KubeObject): readonly Reference[] {
  const { routerRef, subnetRef } = (spec ?? {}) as { readonly routerRef?: string; readonly subnetRef?: string };
  const guarded = [names.finalizer];
  // A subnet takes its own interface off before it goes, so that one does not hold it.
  const isOwn = metadata.ownerReferences?.some(({ kind, name }) => kind === 'Subnet' && name === subnetRef) === true;
  return [
    ...(routerRef === undefined
      ? []
      : [{ kind: 'Router', name: routerRef, finalizers: guarded, neededFor: 'always', fixed: true } as const]),
    ...(subnetRef === undefined
      ? []
      : [
          {
            kind: 'Subnet',
            name: subnetRef,
            finalizers: isOwn ? [] : guarded,
            neededFor: 'always',
            fixed: true,
          } as const,
        ]),
  ];
}

/** The two ends of an interface. */
interface Ends {
  readonly routerId: string;
  readonly subnetId: string;
}

/** An interface as its operations see it. */
interface Plug extends Ends {
  readonly session: Session;
}

function operations({ sessions, lookUps, poller }: OperationsDeps): WatchingOperations {
  const open = async (request: Omit<OperationRequest, 'traceparent'>): Promise<Plug> => {
    const { metadata } = request.object;
    const ends = endsOf(request);
    const session = await sessions.open(
      metadata.namespace ?? '',
      credentialsOf(request),
      undefined,
      request.deadlineAt,
    );
    return { session, ...ends };
  };

  const identityOf = (request: OperationRequest): ReturnType<typeof sessions.identify> =>
    sessions.identify(request.object.metadata.namespace ?? '', credentialsOf(request), undefined, request.deadlineAt);

  const placeOf = async (request: OperationRequest): Promise<string> => {
    const { routerId, subnetId } = endsOf(request);
    // mutant: port-is-the-interface ().1 -> [$1.1]
    return JSON.stringify([(await identityOf(request)).cloud, routerId, subnetId]);
  };

  /** All interfaces of a router come in one list. */
  const look = async (plug: Plug, request: OperationRequest): Promise<Observation[]> =>
    (await lookUps.find(plug.session, PORTS, pluggedBy(plug), request)).map(observationOf);

  const change = async (
    action: 'add_router_interface' | 'remove_router_interface',
    { session, routerId, subnetId }: Plug,
    { deadlineAt, traceparent }: OperationRequest,
  ): Promise<Answer> =>
    session.call({
      service: NEUTRON.type,
      method: 'PUT',
      path: `/routers/${encodeURIComponent(routerId)}/${action}`,
      body: { subnet_id: subnetId },
      deadlineAt,
      traceparent,
    });

  return checkedOperations({
    async find(request) {
      const plug = await open(request);
      return { matches: await look(plug, request), exact: true, completedLookup: await placeOf(request) };
    },

    /** The port alone does not identify the interface: it may be that of other subnets, too. */
    identify: placeOf,

    async import() {
      throw new TransientError('an interface is not imported');
    },

    async create(request) {
      const id = await change('add_router_interface', await open(request), request)
        .then(portOf)
        .catch(doing('adding'));
      return { id, attributes: {}, resource: {}, available: false };
    },

    async observe(request) {
      return (await look(await open(request), request))[0];
    },

    async watch(request) {
      const plug = await open({ ...request, deadlineAt: poller.deadlineAt() });
      return poller.watch(plug.session, PORTS, pluggedBy(plug), request, (found) => found && observationOf(found));
    },

    /** Nothing is ever changed; what a create answered says nothing of the port, so it is read. */
    async update({ observation }) {
      return { changed: observation.attributes['status'] === undefined };
    },

    async remove(request) {
      await change('remove_router_interface', await open(request), request).catch(doing('removing'));
    },
  });
}

function endsOf({ object: { spec }, dependencies }: Pick<OperationRequest, 'object' | 'dependencies'>): Ends {
  const idOf = (label: string): string => {
    const known = dependencies[label];
    if (known === undefined) throw new TransientError(`no id is known of ${label}`);
    return known.id;
  };
  return { routerId: idOf(`Router/${spec?.['routerRef']}`), subnetId: idOf(`Subnet/${spec?.['subnetRef']}`) };
}

/** Those of its router. */
function credentialsOf({
  object: { spec },
  dependencies,
}: Pick<OperationRequest, 'object' | 'dependencies'>): Parameters<OperationsDeps['sessions']['open']>[1] {
  const credentials = dependencies[`Router/${spec?.['routerRef']}`]?.attributes?.['cloudCredentialsRef'];
  if (!isJsonObject(credentials)) throw new TransientError(`Router/${spec?.['routerRef']} names no credentials`);
  return credentials as unknown as Parameters<OperationsDeps['sessions']['open']>[1];
}

function portOf({ status, body, refusal = 'not found' }: Answer): string {
  if (status === 404) throw new TransientError(refusal);
  const id = body['port_id'];
  if (typeof id !== 'string') throw new UnknownOutcomeError('the answer names no port');
  return id;
}

function doing(what: 'adding' | 'removing'): (error: unknown) => never {
  return (error) => {
    const known = transient(error);
    const { message, retryAfterMs } = known as TransientError;
    const Failure = known instanceof UnknownOutcomeError ? UnknownOutcomeError : TransientError;
    throw new Failure(`${what} router interface: ${message}`, { cause: error, retryAfterMs });
  };
}

function pluggedBy({ routerId, subnetId }: Plug): readonly Criterion[] {
  return [equalTo('device_id', routerId), pluggedInto(subnetId)];
}

/** The port is an interface, with an address on the subnet (OS-ROUTER-INTERFACE-1). */
function pluggedInto(subnetId: string): Criterion {
  return {
    key: undefined,
    value: subnetId,
    matches: ({ device_owner: owner, fixed_ips: addresses }) =>
      OWNERS.has(owner) &&
      Array.isArray(addresses) &&
      addresses.some((address) => isJsonObject(address) && address['subnet_id'] === subnetId),
  };
}

function observationOf(port: JsonObject): Observation {
  // mutant: projection-of-port () -> $2
  const attributes = projected(READ, port);
  const { id, status } = attributes;
  if (typeof id !== 'string') throw new TransientError('the list holds a port without an id');
  const { decision, pollAfterMs } = stateOf(INTERFACE_STATES, status);
  const available = decision === Decision.Usable;
  return { id, attributes, resource: {}, available, ...(pollAfterMs !== undefined && { pollAfterMs }) };
}
