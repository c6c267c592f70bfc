// Hosts: so many machines behind a simulated Ironic, from nothing to provisioned, all at once. Then a minute in which nothing
// happens; some of them deprovisioned at a gentle pace, which shows how fast what Ironic has done is acted upon; all deleted. At
// last all anew on machines whose ramdisk never calls: how long it takes to enrol them, and a minute in which all of them wait.
import { GROUP } from '../../adapters/ironic/api/types.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { until } from './chain.ts';
import { quantile, type Report, spread, sum } from './figures.ts';
import { type Item, Landscape } from './landscape.ts';
import type { ActorsCounts } from './parts/actors.ts';
import { type IronicCounts, machinePlace } from './parts/ironic.ts';
import type { Usage } from './parts/mod.ts';
import { grown, Stage, type StageOptions } from './stage.ts';

export interface HostsOptions extends Pick<StageOptions, 'latencyMs' | 'inFlight' | 'onProgress'> {
  readonly count: number;
  readonly profile: boolean;
  /** Ironic, its machines and the looks at them go so many times as fast as real ones, and so does the minute; 1 unless stated. */
  readonly speed?: number;
}

const MB = 1_000_000;
const MINUTE_MS = 60_000;
const VERSIONED = `/apis/${GROUP}/v1alpha1`;
const PLURAL = 'baremetalhosts';
const IMAGE = { url: 'http://images/instance.raw', checksum: 'a'.repeat(64), checksumType: 'sha256', format: 'raw' };
/** Of the pauses between two looks at a node whose Ironic is at work; those of the contract, without their chance. */
const LONG_PAUSE_MS = 10_000;
const SHORT_PAUSE_MS = 3_000;
/** Hosts that are deprovisioned at a gentle pace, and the time between two of them. */
const PACED = 100;
const PACE_MS = 200;
/**
 * Calls a host that the reference makes in a minute: while Ironic is at work, reads of its node; at rest one read, a list of its
 * ports, and one of its firmware.
 */
const REFERENCE = { waiting: MINUTE_MS / LONG_PAUSE_MS, settled: 3 };
/** What was published of the reference at the same concurrency: so many hosts, in so many milliseconds. */
const REFERENCE_ENROLMENT = { hosts: 800, ms: 328_000 };

export async function hosts(options: HostsOptions): Promise<Report> {
  const { count, speed = 1 } = options;
  const stage = await Stage.open({ ...options, ironic: { machines: count, speed } });
  try {
    await stage.startActors();
    const bare = await stage.actors.ask('settled');
    const landscape = new Landscape(stage, 'bench-hosts', VERSIONED);
    await landscape.open({});
    const { figures: up, profile } = await provisioned(stage, landscape, options);
    const settled = await atRest(stage, { ...options, bare });
    const paced = await pacedReactions(stage, landscape, options);
    const down = await gone(stage, landscape, options);
    const waiting = await enrolledAndWaiting(stage, landscape, options);
    return { profile, figures: { hosts: count, ...up, ...settled, ...paced, ...down, ...waiting } };
  } finally {
    await stage.close();
  }
}

/** From nothing to provisioned, all at once. */
async function provisioned(
  stage: Stage,
  landscape: Landscape,
  { count, profile, onProgress }: HostsOptions,
): Promise<Pick<Report, 'figures' | 'profile'>> {
  const { clock } = stage;
  const items = await machinesOf(landscape, 'early', count, { image: IMAGE });
  await stage.reset();
  if (profile) await stage.actors.ask('profile');
  const cpuBefore = await stage.cpu();
  const beganAt = clock.now();
  await landscape.apply(items);
  const counts = await reached(stage, 'provisioned.idle', count, onProgress);
  const ms = clock.now() - beganAt;
  await stage.quiet();
  const cpu = grown(cpuBefore, await stage.cpu());
  const profiled = profile ? await stage.actors.ask('profiled') : undefined;
  const reported = await stage.counts();
  return {
    profile: profiled,
    figures: {
      'up.ms': ms,
      'up.writeMs': counts.lastWriteAt - beganAt,
      ...perHost('up', { count, reported, asked: await asked(stage), cpu }),
    },
  };
}

/** A minute in which nothing happens, and the memory that so many hosts take. */
async function atRest(
  stage: Stage,
  { count, speed = 1, bare, onProgress }: HostsOptions & { readonly bare: Usage },
): Promise<Report['figures']> {
  onProgress('nothing happens');
  const before = await stage.actors.ask('settled');
  const minute = await looked(stage, speed);
  const after = await stage.actors.ask('usage');
  return {
    'settled.residentMb': after.residentBytes / MB,
    'settled.heapMb': before.heapBytes / MB,
    'settled.heapKbPerHost': (before.heapBytes - bare.heapBytes) / 1_000 / count,
    ...callsAMinute('settled', minute, count * REFERENCE.settled),
    'settled.writesAMinute': minute.writes,
    'settled.messagesAMinute': minute.messages,
    'settled.cpuMsAMinute': minute.cpuMs,
  };
}

/** Hosts are taken down one after another, so that nothing but the looks at Ironic keeps them waiting. */
async function pacedReactions(
  stage: Stage,
  landscape: Landscape,
  { count, speed = 1, onProgress }: HostsOptions,
): Promise<Report['figures']> {
  const some = names('early', Math.min(PACED, count));
  await stage.reset();
  for (const name of some) {
    await landscape.merge(PLURAL, name, { spec: { image: null } });
    await stage.clock.sleep(PACE_MS);
  }
  await reached(stage, 'available.idle', some.length, onProgress);
  const { reactions } = await asked(stage);
  return {
    'reaction.count': reactions.length,
    ...reactionsOf('reaction.long', reactions, LONG_PAUSE_MS / speed),
  };
}

/** All deleted at once. */
async function gone(
  stage: Stage,
  landscape: Landscape,
  { count, onProgress }: HostsOptions,
): Promise<Report['figures']> {
  await stage.quiet();
  await stage.reset();
  const cpuBefore = await stage.cpu();
  const beganAt = stage.clock.now();
  await landscape.remove(names('early', count).map((name) => ({ plural: PLURAL, name, body: {} })));
  await until(stage, async () => {
    const present = (await landscape.list(PLURAL)).length;
    onProgress(`${present} left`);
    return present === 0 ? 'done' : -present;
  });
  const ms = stage.clock.now() - beganAt;
  await stage.quiet();
  const cpu = grown(cpuBefore, await stage.cpu());
  const reported = await stage.counts();
  return { 'down.ms': ms, ...perHost('down', { count, reported, asked: await asked(stage), cpu }) };
}

/** All enrolled at once, and a minute in which they wait for machines that do not call. */
async function enrolledAndWaiting(
  stage: Stage,
  landscape: Landscape,
  { count, speed = 1, onProgress }: HostsOptions,
): Promise<Report['figures']> {
  const { clock } = stage;
  const items = await machinesOf(landscape, 'late', count);
  await stage.cloud?.ask('stall');
  await stage.reset();
  const beganAt = clock.now();
  await landscape.apply(items);
  await reached(stage, 'inspecting.awaiting', count, onProgress);
  const ms = clock.now() - beganAt;
  const { reactions, mostInFlight } = await asked(stage);
  await stage.quiet();
  onProgress('all wait');
  const minute = await looked(stage, speed);
  return {
    'enrol.ms': ms,
    'enrol.hostsASecond': (1_000 * count) / ms,
    'enrol.referenceRatio': ms / count / (REFERENCE_ENROLMENT.ms / REFERENCE_ENROLMENT.hosts),
    'enrol.mostInFlight': mostInFlight,
    ...reactionsOf('enrol.reaction', reactions, SHORT_PAUSE_MS / speed),
    ...callsAMinute('waiting', minute, count * REFERENCE.waiting),
    'waiting.writesAMinute': minute.writes,
    'waiting.cpuMsAMinute': minute.cpuMs,
  };
}

interface Minute {
  readonly calls: Readonly<Record<string, number>>;
  readonly writes: number;
  readonly messages: number;
  readonly cpuMs: number;
}

/** What is asked, written and spent in a minute of Ironic. */
async function looked(stage: Stage, speed: number): Promise<Minute> {
  await stage.reset();
  const { cpuMs: before } = await stage.actors.ask('usage');
  await stage.clock.sleep(MINUTE_MS / speed);
  const { calls } = await asked(stage);
  const { writes, messages } = await stage.counts();
  const { cpuMs: after } = await stage.actors.ask('usage');
  return { calls, writes: sum(writes), messages: sum(messages), cpuMs: after - before };
}

function callsAMinute(name: string, { calls }: Minute, ofReference: number): Report['figures'] {
  return {
    [`${name}.callsAMinute`]: sum(calls),
    [`${name}.callsOfReference`]: sum(calls) / ofReference,
    ...spread(`${name}.calls`, calls),
  };
}

function reactionsOf(name: string, reactions: IronicCounts['reactions'], pauseMs: number): Report['figures'] {
  const times = reactions.map(({ afterMs }) => afterMs);
  const medianMs = quantile(times, 0.5);
  return {
    [`${name}MedianMs`]: medianMs,
    [`${name}P99Ms`]: quantile(times, 0.99),
    [`${name}Pauses`]: medianMs / pauseMs,
  };
}

function perHost(
  name: string,
  {
    count,
    reported,
    asked,
    cpu,
  }: {
    readonly count: number;
    readonly reported: ActorsCounts;
    readonly asked: IronicCounts;
    readonly cpu: Readonly<Record<string, number>>;
  },
): Report['figures'] {
  return {
    [`${name}.callsPerHost`]: sum(asked.calls) / count,
    ...spread(`${name}.calls`, asked.calls, count),
    [`${name}.writesPerHost`]: (sum(reported.writes) - (reported.writes['DELETE'] ?? 0)) / count,
    ...spread(`${name}.writes`, reported.writes, count),
    ...spread(`${name}.writesOf`, reported.writesOf, count),
    ...spread(`${name}.refused`, reported.refusals, count),
    [`${name}.messagesPerHost`]: sum(reported.messages) / count,
    ...spread(`${name}.cpuMsPerHost`, cpu, count),
  };
}

async function asked(stage: Stage): Promise<IronicCounts> {
  if (stage.cloud === undefined) throw new Error('there is no Ironic on this stage');
  return stage.cloud.ask<IronicCounts>('counts');
}

/** Waits until so many hosts are in a state of their life. */
function reached(
  stage: Stage,
  state: string,
  count: number,
  onProgress: (line: string) => void,
): Promise<ActorsCounts> {
  return until(stage, async ({ countByState }) => {
    const there = Object.entries(countByState).reduce(
      (all, [name, how]) => (name.includes(state) ? all + how : all),
      0,
    );
    onProgress(`${there} of ${count} in ${state}`);
    // Whatever any of them does is progress.
    return there >= count ? 'done' : digest(countByState);
  });
}

function digest(countByState: Readonly<Record<string, number>>): number {
  return Object.entries(countByState).reduce((all, [name, how], index) => all + how * (index + 1) * name.length, 0);
}

const BMC_USER = { username: 'admin', password: 'secret' };

function names(wave: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `${wave}-${number}`);
}

/** A host for each machine, and its Secret, which is there already: it goes with the host, so that each wave has its own. */
async function machinesOf(
  landscape: Landscape,
  wave: string,
  count: number,
  more: JsonObject = {},
): Promise<readonly Item[]> {
  const all = names(wave, count);
  const secretOf = (name: string): string => `${name}-bmc`;
  await landscape.secrets(Object.fromEntries(all.map((name) => [secretOf(name), BMC_USER])));
  return all.map((name, number) => {
    const { mac, bmc } = machinePlace(number);
    const spec = {
      online: true,
      bootMACAddress: mac,
      bmc: { address: bmc, credentialsName: secretOf(name) },
      ...more,
    };
    const body = { apiVersion: `${GROUP}/v1alpha1`, kind: 'BareMetalHost', metadata: { name }, spec };
    return { plural: PLURAL, name, body };
  });
}
