// The simulated Ironic itself: what it stores, the machines behind it, and its answers to requests, however they come.
//
// What it does not do: see simulator.ts.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { Clock } from '../../../bus/time.ts';
import { Faults } from '../http/mod.ts';
import { Agenda } from './agenda.ts';
import { authorize, type Credentials } from './authentication.ts';
import { Conductor, type SimulatedImage, TIMES, type Times } from './conductor.ts';
import { frameworkRefusal, Refusal, type Reply, type SimulatedRequest } from './exchange.ts';
import { DRIVERS } from './hardware-types.ts';
import { MAX_LIMIT } from './lists.ts';
import {
  type Behavior,
  type KeptMachine,
  type MachineOptions,
  Machines,
  type MachineView,
  type Power,
} from './machines.ts';
import { CONDUCTOR, linksOf } from './node-fields.ts';
import { nodeRequests } from './node-requests.ts';
import { nodes } from './nodes.ts';
import { ports } from './ports.ts';
import { copyOf, type KeptRecords, Records } from './records.ts';
import { askedMinor, LATEST_MINOR, rootDocument, v1Document, versionHeaders } from './versions.ts';

export interface IronicOptions {
  readonly clock: Pick<Clock, 'now' | 'random'>;
  /** There from the start; those of `kept` are there as they were. */
  readonly machines?: readonly MachineOptions[];
  /** State of an earlier Ironic, which is continued. */
  readonly kept?: KeptIronic;
  /** Greatest microversion, e.g. 82; 115 by default. */
  readonly maxMinor?: number;
  /** Accepted logins; all by default. */
  readonly credentials?: Credentials;
  /** Enabled hardware types: all four by default. */
  readonly drivers?: readonly string[];
  /** Durations, where not as measured. */
  readonly times?: Partial<Times>;
  /** Images by address; by default all that is claimed of them. */
  readonly image?: (href: string) => SimulatedImage;
  /** Most items of one answer (`max_limit`); 1000 by default. */
  readonly maxLimit?: number;
}

/** All that an Ironic has and its machines are, as data. */
export interface KeptIronic {
  readonly records: KeptRecords;
  readonly machines: readonly KeptMachine[];
}

/** A request as it comes off the wire. */
export interface RawRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Keyed by names in lower case. */
  readonly headers: SimulatedRequest['headers'];
  /** Empty: there is none. */
  readonly body: string;
}

export interface SimulatedIronic {
  readonly faults: Faults;
  /** Answers a request as of now. */
  handle(request: RawRequest): Reply;
  addMachine(options: MachineOptions): void;
  /** A machine as it is now. @throws {Error} there is none of this name */
  machine(name: string): MachineView;
  machines(): readonly MachineView[];
  /** Faults of a machine from now on; a member that is not given is as it should be. */
  behave(name: string, behavior: Behavior): void;
  /** A person presses a machine's own button. */
  press(name: string, power: Power): void;
  /** The BMC has another password. */
  setPassword(name: string, password: string): void;
  /** A node as it is stored, passwords and all; undefined: there is none. */
  node(ident: string): JsonObject | undefined;
  /** Every node, in the order of their making. */
  nodes(): readonly JsonObject[];
  /** The conductor is busy with a node until `release`. */
  hold(ident: string): void;
  release(ident: string): void;
  /** The conductor ends in the midst of its work, and starts again. */
  restart(): void;
  /** The database is lost; machines stay as they are. */
  forget(): void;
  setMaxMinor(maxMinor: number): void;
  /** Time of the next event without a request, milliseconds since the epoch; undefined: never. */
  nextAt(): number | undefined;
  newUuid(): string;
  /** As it is now, for one that comes later. */
  kept(): KeptIronic;
}

/** @param origin  where it is reached, without a slash at its end; asked for late */
export function simulatedIronic(options: IronicOptions, origin: () => string): SimulatedIronic {
  const { clock, drivers = DRIVERS, credentials, maxLimit = MAX_LIMIT } = options;
  let { maxMinor = LATEST_MINOR } = options;
  const agenda = new Agenda(clock);
  const machines = new Machines(agenda);
  const records = new Records(clock, agenda);
  const times = { ...TIMES, ...options.times };
  const conductor = new Conductor({ records, machines, times, image: options.image ?? (() => ({})) });
  for (const machine of options.kept?.machines ?? []) machines.add(machine.options).restore(machine);
  for (const machine of options.machines ?? []) if (!machines.has(machine.name)) machines.add(machine);
  if (options.kept !== undefined) {
    records.restore(options.kept.records);
    conductor.resume();
  }

  const answer = (raw: RawRequest, minor: number): Reply => {
    const request = parse(raw, minor, origin());
    const [first, , third] = request.segments;
    if (request.path === '/') return get(request, rootDocument(origin(), { maxMinor }));
    if (first === undefined) return get(request, v1Document(origin(), { maxMinor }));
    if (first === 'nodes' && third !== undefined) return nodeRequests(request, { records, conductor, maxLimit });
    if (first === 'nodes') return nodes(request, { records, conductor, drivers, maxLimit });
    if (first === 'ports') return ports(request, { records, maxLimit });
    if (first === 'drivers' && request.segments.length === 1) return get(request, driverList(drivers, origin()));
    throw frameworkRefusal(404);
  };
  /** Due work is done first: a reader sees the present. */
  const now = <Result>(run: () => Result): Result => {
    agenda.proceed();
    return run();
  };
  return {
    faults: new Faults(),
    handle: (raw) =>
      now(() => {
        const range = { maxMinor };
        let minor: number | undefined;
        try {
          if (credentials !== undefined) authorize(raw, credentials);
          minor = askedMinor(raw.headers, range);
          const reply = answer(raw, minor);
          return { ...reply, headers: { ...versionHeaders(range, minor), ...reply.headers } };
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          return { ...error.reply, headers: { ...versionHeaders(range, minor), ...error.reply.headers } };
        }
      }),
    addMachine: (machine) => void machines.add(machine),
    machine: (name) => now(() => machines.named(name).view()),
    machines: () => now(() => machines.all().map((machine) => machine.view())),
    behave(name, behavior) {
      now(() => {
        machines.named(name).behavior = behavior;
      });
    },
    press: (name, power) => now(() => machines.named(name).switch(power, 'nobody')),
    setPassword(name, password) {
      now(() => {
        machines.named(name).password = password;
      });
    },
    node: (ident) => now(() => copyOf(records.find(ident)?.item)),
    nodes: () => now(() => [...records.nodes.values()].map(({ item }) => copyOf(item))),
    hold(ident) {
      now(() => {
        const record = records.node(ident);
        record.isHeld = true;
        conductor.showHolder(record);
      });
    },
    release(ident) {
      now(() => {
        const record = records.node(ident);
        record.isHeld = false;
        conductor.showHolder(record);
      });
    },
    restart: () => now(() => conductor.restart()),
    forget: () => now(() => records.forget()),
    setMaxMinor(newMaxMinor) {
      maxMinor = newMaxMinor;
    },
    nextAt: () => agenda.nextAt(),
    newUuid: () => records.newUuid(),
    kept: () => now(() => ({ records: records.kept(), machines: machines.all().map((machine) => machine.kept()) })),
  };
}

/** A path below `/v1`, which may be left out. */
export function pathOf(url: string): string {
  const [path = ''] = url.split('?');
  const below = path.replace(/\/+$/, '');
  if (below === '') return '/';
  return below.replace(/^\/v1(?=\/|$)/, '');
}

function parse({ method, url, headers, body }: RawRequest, minor: number, origin: string): SimulatedRequest {
  const path = pathOf(url);
  const segments = path.split('/').filter((part) => part !== '');
  const query = new URLSearchParams(url.split(/\?(.*)/s)[1] ?? '');
  const request = { method, path, segments: segments.map(decoded), query, headers, minor, origin };
  if (body === '') return { ...request, body: undefined };
  try {
    return { ...request, body: JSON.parse(body) as Json };
  } catch {
    const unreadable = 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)';
    return { ...request, body: undefined, unreadable };
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function get({ method }: SimulatedRequest, body: JsonObject): Reply {
  if (method !== 'GET') throw frameworkRefusal(405);
  return { status: 200, body };
}

function driverList(drivers: readonly string[], origin: string): JsonObject {
  return {
    drivers: drivers.map((name) => ({
      name,
      hosts: [CONDUCTOR],
      links: linksOf(origin, `drivers/${name}`),
      properties: linksOf(origin, `drivers/${name}/properties`),
      type: 'dynamic',
    })),
  };
}
