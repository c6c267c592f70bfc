// Registrations as their tests need them: an input that asks for nothing, and what a step sends.
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { Feature } from '../../../../adapters/ironic/client/versions.ts';
import type { Facts } from '../../../../adapters/ironic/steps/facts.ts';
import { type RegistrationInput, register } from '../../../../adapters/ironic/steps/registration.ts';
import type { Step } from '../../../../adapters/ironic/steps/step.ts';
import { CREDENTIALS, driverNamed, hostIn, MAC, nodeIn, reported, UUID } from './builders.ts';

export const FEATURES = Object.values(Feature);
export const without = (feature: Feature) => FEATURES.filter((each) => each !== feature);

export const DRIVER_INFO = { redfish_address: 'https://bmc', redfish_username: 'admin', redfish_password: 'hidden' };
export const REMEMBERED = { node: UUID, macs: [MAC], components: false };
export const ABSENT: Facts = { byId: null, byName: null, byBareName: null, portsByMac: [] };

export function inputOf(more: Partial<RegistrationInput> = {}): RegistrationInput {
  return {
    host: hostIn('available'),
    facts: {},
    memory: REMEMBERED,
    driver: driverNamed('redfish-virtualmedia'),
    driverInfo: DRIVER_INFO,
    credentials: CREDENTIALS,
    architecture: 'x86_64',
    features: FEATURES,
    ramdisk: { kind: 'untouched' },
    hasFirmwareComponents: true,
    ...more,
  };
}

/** The step for a host whose node was found as given, and is no other's. */
export function registered(node: IronicNode, more: Partial<RegistrationInput> = {}): Step {
  return register(inputOf({ ...more, facts: { byId: node, others: { [UUID]: false }, ...more.facts } }));
}

/** The body of the only request of a step. */
export function bodyOf(step: Step): unknown {
  if (step.step !== 'send') throw new Error(`no request: ${reported(step)}`);
  assert.is(step.requests.length, 1);
  return step.requests[0]?.body;
}

/** The patch that a step sends. */
export function patchIn(step: Step): readonly unknown[] {
  const body = bodyOf(step);
  if (!Array.isArray(body)) throw new Error(`no patch: ${reported(step)}`);
  return body;
}

/** There is nothing to be done to it. */
export const settledNode = nodeIn('manageable');
export const newCredentials = { ...CREDENTIALS, credentialsVersion: '8' };

/** All ports of the node are asked for. */
export const PORTS_OF_NODE = `GET /v1/ports?fields=node_uuid,uuid,address&node_uuid=${UUID}; then onward`;
