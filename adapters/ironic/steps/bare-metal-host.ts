// Operations of a BareMetalHost: each collects the facts that its decisions need, and applies the decisions to the
// node.
//
// Invariants:
//   IRONIC-BARE-METAL-HOST-1. Of the Secrets that an operation reads nothing is in what it answers.
//   IRONIC-BARE-METAL-HOST-2. An operation may be run twice, and by another process the second time: it begins with what the node says.
import type { CapacityOutput } from '../../../machines/bare-metal-host/context.ts';
import type { HostStatus } from '../../../machines/bare-metal-host/host.ts';
import type { Outcome } from '../../../machines/bare-metal-host/outcome.ts';
import type { JsonObject } from '../../../machines/object.ts';
import type { Operations } from '../../api/adapter.ts';
import { hardwareDetails } from '../host/hardware-details.ts';
import { askingFor, type IronicPorts } from '../serving.ts';
import { adopt } from './adoption.ts';
import { deprovision } from './deprovisioning.ts';
import { driverOfHost } from './driver-of-host.ts';
import { type HostRequest, hostOf, passes } from './host-reconciler.ts';
import { type NodeWatchRequest, watchHost } from './host-watch.ts';
import { inspect } from './inspection.ts';
import { recognize } from './owners.ts';
import { powerOff, powerOn } from './power.ts';
import { prepareHost, serviceHost } from './prepare.ts';
import { provisionHost } from './provision.ts';
import { architectureOfHost, registerHost, storedHardware } from './register.ts';
import { remove } from './removal.ts';
import type { Host } from './step-host.ts';

/** Operations by name, as the kind declares them. */
export const HOST_OPERATIONS = [
  'hardware',
  'recognize',
  'register',
  'inspect',
  'prepare',
  'provision',
  'adopt',
  'deprovision',
  'power',
  'service',
  'remove',
  'capacity',
  'watch',
] as const;

export interface PowerRequest extends HostRequest {
  readonly target: 'on' | 'off' | 'reboot';
  readonly mode: 'hard' | 'soft';
}

export function hostOperations(ports: IronicPorts): Operations[string] {
  const { clock, ironic, poller, options, sights } = ports;
  const all = passes(ports);
  return {
    /** What HardwareData says of the machine. */
    hardware: (request: HostRequest) => storedHardware(ports, request),
    /** Whether a node that a status names is the host's. */
    recognize: (request: HostRequest & { readonly named: string }) => recognize(ports, request),
    register: (request: HostRequest) => registerHost(ports, all, request),

    async inspect(request: HostRequest): Promise<Outcome> {
      const host = hostOf(request);
      const driver = driverOfHost(host);
      const architecture = architectureOfHost(host);
      const ended = await all.onNode(request, (node, { facts, memory }) =>
        inspect({ host, node, facts, memory, driver, architecture }),
      );
      return all.outcome(ended, request, ({ inventory }) => ({
        hardware: hardwareDetails(inventory) as unknown as JsonObject,
      }));
    },

    prepare: (request: HostRequest) => prepareHost(ports, all, request),
    provision: (request: HostRequest) => provisionHost(ports, all, request),

    async adopt(request: HostRequest): Promise<Outcome> {
      const ended = await all.onNode(request, (node) => adopt({ host: hostOf(request), node }));
      return all.outcome(ended, request);
    },

    async deprovision(request: HostRequest): Promise<Outcome> {
      const ended = await all.onNode(request, (node) => deprovision({ host: hostOf(request), node }));
      return all.outcome(ended, request);
    },

    async power({ target, mode, ...request }: PowerRequest): Promise<Outcome> {
      const host = hostOf(request);
      const ended = await all.onNode(request, (node) =>
        target === 'on' ? powerOn({ host, node }) : powerOff({ host, node, mode }),
      );
      const outcome = all.outcome(ended, request);
      // A reboot is seen by nothing but that it was taken.
      if (target !== 'reboot' || ended.last.step !== 'send' || outcome.kind !== 'waiting') return outcome;
      const { pollAfterMs: _, ...taken } = outcome;
      return { ...taken, kind: 'done' };
    },

    service: (request: HostRequest & { readonly isBegun: boolean }) => serviceHost(ports, all, request),

    async remove({ force, ...request }: HostRequest & { readonly force: boolean }): Promise<Outcome> {
      const { features } = await ironic.ready(askingFor(request));
      const ended = await all.onLeaving(request, (node) => remove({ node, isForced: force, features }));
      return all.outcome(ended, request);
    },

    async capacity(request: HostRequest): Promise<CapacityOutput> {
      const host = hostOf(request);
      const id = host.status?.provisioning?.ID ?? '';
      const isFree =
        id === '' ||
        driverOfHost(host).supportsIsoPreprovisioningImage ||
        (await poller.capacity.take(id, options.provisioningLimit, request));
      return { isFree, at: clock.now() };
    },

    async watch(request: NodeWatchRequest & { readonly object: HostRequest['object'] }): Promise<JsonObject> {
      const { id } = request.node ?? { id: idOf(hostOf(request)) };
      const { uid } = request.object.metadata;
      return watchHost(poller, { ...request, node: { ...request.node, id } }, (node) =>
        sights.keep(uid, { node, at: clock.now() }),
      );
    },
  } satisfies Operations[string] & Record<(typeof HOST_OPERATIONS)[number], unknown>;
}

function idOf({ status }: Host): string {
  return (status as HostStatus | undefined)?.provisioning?.ID ?? '';
}
