// An Ironic as the suites see it, simulated or real, and how they watch a node pass through its states.
import * as assert from 'uvu/assert';
import type { IronicOptions } from '../../../../adapters/simulated/ironic/mod.ts';
import { type SimulatedIronic, simulatedIronic } from '../../../../adapters/simulated/ironic/mod.ts';
import type { Json, JsonObject } from '../../../../bus/json.ts';

export interface Answer {
  readonly status: number;
  readonly body: Json | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is to go wrong with a machine. */
export interface Trouble {
  readonly inspectionError?: string;
  readonly agent?: 'never';
  readonly failingSteps?: Readonly<Record<string, string>>;
}

export interface OpenIronic {
  /** @param request  method and path: `GET /v1/nodes`; @param version  `1.95` by default; null: none is named */
  ask(request: string, body?: Json, version?: string | null): Promise<Answer>;
  pause(forMs: number): Promise<void>;
  /** Whether no state is too short to be seen. */
  readonly sees: 'all' | 'most';
  /** Of machine `number`, 1 to 4. */
  driverInfo(number: number): JsonObject;
  behave(number: number, problem: Trouble): Promise<void>;
  /** Text of what runs on a machine, and the checksum of what is on its disk. */
  look(number: number): Promise<{ readonly running: string; readonly sha256: string | undefined }>;
  readonly image: { readonly url: string; readonly sha256: string };
}

/** The clock of a simulated Ironic, which goes when it is told to. */
export interface HandClock {
  now(): number;
  random(): number;
  advance(byMs: number): void;
}

export function handClock(): HandClock {
  let nowMs = Date.UTC(2030, 0, 1);
  let seed = 7;
  return {
    now: () => nowMs,
    random() {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed / 2 ** 32;
    },
    advance(byMs) {
      nowMs += byMs;
    },
  };
}

export const ORIGIN = 'http://ironic.test';
const BMC = 'http://bmc.test:8000';
const IMAGE = { url: 'http://images.test/instance.raw', sha256: 'a'.repeat(64) };

export interface Simulated extends OpenIronic {
  readonly ironic: SimulatedIronic;
  readonly clock: HandClock;
}

/** A simulated Ironic with machines `bm1` to `bm4`, each with two ports. */
export function openSimulated(options: Partial<IronicOptions> = {}): Simulated {
  const clock = handClock();
  const systemOf = (number: number): string => `/redfish/v1/Systems/00000000-0000-4000-8000-00000000000${number}`;
  const machines = [1, 2, 3, 4].map((number) => ({
    name: `bm${number}`,
    address: BMC,
    systemId: systemOf(number),
    macs: [1, 2].map((nic) => `52:54:00:00:0${number}:0${nic}`),
  }));
  const image = (href: string) => (href.endsWith('.missing') ? 'missing' : { sha256: IMAGE.sha256 });
  const ironic = simulatedIronic({ clock, machines, image, ...options }, () => ORIGIN);
  return {
    ironic,
    clock,
    sees: 'all',
    image: IMAGE,
    async ask(request, body, version = '1.95') {
      const [method = '', url = ''] = request.split(' ');
      const headers = version === null ? {} : { 'x-openstack-ironic-api-version': version };
      const reply = ironic.handle({ method, url, headers, body: body === undefined ? '' : JSON.stringify(body) });
      return { status: reply.status, body: reply.body, headers: reply.headers ?? {} };
    },
    async pause(forMs) {
      clock.advance(forMs);
    },
    driverInfo: (number) => ({
      redfish_address: BMC,
      redfish_system_id: systemOf(number),
      redfish_username: 'admin',
      redfish_password: 'secret',
    }),
    async behave(number, problem) {
      ironic.behave(`bm${number}`, problem);
    },
    async look(number) {
      const { running, disk } = ironic.machine(`bm${number}`);
      // The real machines name an image by its file.
      const shown = running.replace(/^instance .*\//, 'instance ');
      return { running: shown, sha256: disk?.checksum ?? undefined };
    },
  };
}

/** The text of an error answer, in whichever form it comes. */
export function faultOf({ body }: Answer): string {
  const message = (body as JsonObject | undefined)?.['error_message'];
  const inner = JSON.parse(String(message)) as JsonObject;
  return String(inner['faultstring'] ?? inner['description']);
}

export function objectOf({ body }: Answer): JsonObject {
  return body as JsonObject;
}

/** Deletes a node that an earlier run may have left, then makes it. @returns its UUID */
export async function enrol(on: OpenIronic, body: JsonObject): Promise<string> {
  await remove(on, String(body['name']));
  const answer = await on.ask('POST /v1/nodes', body);
  assert.is(answer.status, 201, JSON.stringify(answer.body));
  assert.is(objectOf(answer)['provision_state'], 'enroll');
  assert.is(objectOf(answer)['power_state'], null);
  return String(objectOf(answer)['uuid']);
}

export async function remove(on: OpenIronic, name: string): Promise<void> {
  const { status } = await on.ask(`PUT /v1/nodes/${name}/maintenance`, {});
  if (status === 404) return;
  for (let tries = 0; tries < 300; tries++) {
    const answer = await on.ask(`DELETE /v1/nodes/${name}`);
    if (answer.status === 204 || answer.status === 404) return;
    await on.pause(200);
  }
  assert.unreachable(`${name} cannot be deleted`);
}

export interface Followed {
  readonly states: readonly string[];
  readonly node: JsonObject;
}

/** Asks for a target, and watches until the node rests in a state that lasts. */
export async function provision(
  on: OpenIronic,
  node: string,
  target: string,
  more: JsonObject = {},
): Promise<Followed> {
  const answer = await on.ask(`PUT /v1/nodes/${node}/states/provision`, { target, ...more });
  assert.is(answer.status, 202, JSON.stringify(answer.body));
  return follow(on, node);
}

const PASSING =
  /^(verifying|inspecting|inspect wait|cleaning|clean wait|deploying|wait call-back|deleting|adopting|servicing|service wait)$/;
const LIMIT_MS = 150_000;

/** @param until  this state too is enough */
export async function follow(on: OpenIronic, node: string, until?: string): Promise<Followed> {
  const states: string[] = [];
  for (let passedMs = 0; passedMs < LIMIT_MS; passedMs += 20) {
    const now = objectOf(await on.ask(`GET /v1/nodes/${node}`));
    const state = String(now['provision_state']);
    if (state !== states.at(-1)) states.push(state);
    if ((!PASSING.test(state) || state === until) && now['reservation'] === null) return { states, node: now };
    await on.pause(20);
  }
  return assert.unreachable(`${node} is for ever in ${states.at(-1)}`) as never;
}

/** @param expected  in order; where not all can be seen, what was seen has to be some of them, and the last */
export function assertPassed(on: OpenIronic, { states, node }: Followed, expected: string): void {
  const wanted = expected.split(' > ');
  const said = `${states.join(' > ')} (${node['last_error']})`;
  if (on.sees === 'all') assert.is(states.join(' > '), expected, said);
  let next = 0;
  for (const state of states) {
    next = wanted.indexOf(state, next) + 1;
    assert.ok(next > 0, `${said} is not some of ${expected}`);
  }
  assert.is(states.at(-1), wanted.at(-1), said);
}
