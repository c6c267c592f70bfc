// What Ironic does for BMCEventSubscriptions: the vendor's way through to the BMC.
//
// Invariants:
//   IRONIC-BMC-EVENT-SUBSCRIPTIONS-1. Only what an object has asked for itself, and not recorded, is taken for its own: others make subscriptions that look
//       the same, and a removal takes away what is recorded.
//   IRONIC-BMC-EVENT-SUBSCRIPTIONS-2. Nothing of the Secret with the headers is answered, or said in an error.
//   IRONIC-BMC-EVENT-SUBSCRIPTIONS-3. A recorded id counts, and is removed, only while the BMC has under it what the spec asks for: a
//       replaced BMC gives the same ids to the subscriptions of other clients.
//   IRONIC-BMC-EVENT-SUBSCRIPTIONS-4. Nothing is ever concluded from a node that Ironic does not know while its host exists: the
//       BMC keeps its subscriptions.
import { AbsentError, TransientError, WaitingError } from '../../../bus/errors.ts';
import type { Observation, ResourceOperations } from '../../../machines/external-resource/operations.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import type { OperationRequest } from '../../../machines/request.ts';
import {
  createSubscription,
  type EventSubscription,
  isIntended,
  subscriptionId,
  subscriptionIntent,
  subscriptionName,
} from '../host/event-subscription.ts';
import { foreignUrlProblem } from '../host/foreign-urls.ts';
import { mapOf, textOf } from '../json-values.ts';
import { askingFor, type IronicPorts } from '../serving.ts';
import { nodeOfHost } from './node-of-host.ts';

export function bmcEventSubscriptionOperations({
  ironic,
  readSecret,
  foreign,
}: Pick<IronicPorts, 'ironic' | 'readSecret' | 'foreign'>): ResourceOperations &
  Required<Pick<ResourceOperations, 'identify'>> {
  const nodeOf = (request: OperationRequest): string => nodeOfHost(request, textOf(request.object.spec?.['hostName']));
  const idsOf = (request: OperationRequest): Promise<readonly string[]> =>
    onKnownNode(request, ironic.subscriptions(nodeOf(request), askingFor(request)));
  /** Whether the BMC has the subscription of the object under this id. */
  const isThere = async (request: OperationRequest, id: string): Promise<boolean> => {
    if (!(await idsOf(request)).includes(id)) return false;
    const seen = await ironic.subscription(nodeOf(request), id, askingFor(request));
    // mutant: subscription-of-others return -> seen !== undefined
    return seen !== undefined && isIntended(subscriptionIntent(request.object), seen);
  };

  return {
    async find({ intents = [], ...request }) {
      const { object } = request;
      // Nothing can have been made.
      if (textOf(object.spec?.['hostName']) === '') return { matches: [], exact: true };
      const completedLookup = JSON.stringify([nodeOf(request), subscriptionIntent(object)]);
      if (intents.length === 0) return { matches: [], exact: true, completedLookup };
      const wanted = JSON.stringify(subscriptionIntent(object));
      const found: Observation[] = [];
      for (const id of await idsOf(request)) {
        const seen = await ironic.subscription(nodeOf(request), id, askingFor(request));
        if (seen !== undefined && JSON.stringify(seen) === wanted) found.push(observed(object, id));
      }
      return { matches: found, exact: true, completedLookup, intended: true };
    },
    // Its contract has no import.
    import: async () => undefined,
    identify: async (request) => nodeOf(request),
    async create(request) {
      const { object } = request;
      const node = nodeOf(request);
      const { name } = mapOf(object.spec?.['httpHeadersRef']);
      const secret = textOf(name) === '' ? undefined : await readSecret(object.metadata.namespace ?? '', textOf(name));
      const asked = createSubscription(object as EventSubscription, secret?.data);
      if ('problem' in asked) throw new WaitingError(asked.problem);
      const refused = await foreignUrlProblem(foreign, 'destinations of BMC events', [object.spec?.['destination']]);
      if (refused !== undefined) throw new WaitingError(refused);
      return observed(object, await ironic.createSubscription(node, asked.body as JsonObject, askingFor(request)));
    },
    async observe({ id, ...request }) {
      const own = subscriptionId(id);
      return (await isThere(request, own)) ? observed(request.object, own) : undefined;
    },
    // The spec is immutable, and no other client changes a subscription.
    update: async () => ({ changed: false }),
    async remove({ id, ...request }) {
      const own = subscriptionId(id);
      // mutant: subscription-removed-unread if -> false
      if (!(await isThere(request, own))) return;
      try {
        await onKnownNode(request, ironic.deleteSubscription(nodeOf(request), own, askingFor(request)));
      } catch (error) {
        // A deletion of a missing subscription fails with the same text as any other failure.
        const isRefused = error instanceof TransientError;
        if (!isRefused || (await isThere(request, own))) throw error;
      }
    },
  };
}

/** @throws {WaitingError} Ironic does not know the node: its host registers it again, or is on its way out */
async function onKnownNode<T>({ object }: OperationRequest, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    // mutant: subscription-lost-with-node if -> false
    if (!(error instanceof AbsentError)) throw error;
    const host = textOf(object.spec?.['hostName']);
    throw new WaitingError(`Waiting for host '${host}' to be registered: Ironic does not know its node`, {
      cause: error,
    });
  }
}

function observed(object: KubeObject, id: string): Observation {
  return { id: subscriptionName(object, id), attributes: {}, resource: {}, available: true };
}
