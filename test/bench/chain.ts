// Chains: so many networks, each with a subnet and a port on it, applied at once, dependents first; then all deleted at
// once. In between, on embedded parts, chains at a gentle pace, which show how fast readiness is acted upon.
import { quantile, type Report, spread, sum } from './figures.ts';
import { type Item, Landscape, network, port, subnet } from './landscape.ts';
import type { ActorsCounts } from './parts/actors.ts';
import type { Profile } from './parts/profiler.ts';
import { grown, Stage } from './stage.ts';

export interface ChainOptions {
  /** Networks. */
  readonly count: number;
  readonly latencyMs: number;
  readonly inFlight: number;
  readonly profile: boolean;
  onProgress(line: string): void;
}

const OBJECTS_A_CHAIN = 3;
/** Its kinds, dependents first. */
const CHAIN = ['ports', 'subnets', 'networks'];
const POLL_MS = 200;
/** A wait ends with an error when nothing has changed for so long, in milliseconds. */
const STALLED_MS = 60_000;
const PACED_CHAINS = 100;
/** Between two of them, in milliseconds: three calls to the cloud and a dozen writes are little for that time. */
const PACE_MS = 50;

export async function chain(options: ChainOptions): Promise<Report> {
  const { count, latencyMs, inFlight } = options;
  const stage = await Stage.open(options);
  try {
    await warmUp(stage, options);
    const { figures, profile } = await burst(stage, options);
    const reactions = await paced(stage, options);
    const limitMs = (OBJECTS_A_CHAIN * count * latencyMs) / inFlight;
    return {
      profile,
      figures: {
        objects: OBJECTS_A_CHAIN * count,
        'up.limitMs': limitMs,
        'up.ratio': (figures['up.ms'] ?? Number.NaN) / limitMs,
        ...figures,
        'reaction.medianMs': quantile(reactions, 0.5),
        'reaction.p99Ms': quantile(reactions, 0.99),
      },
    };
  } finally {
    await stage.close();
  }
}

/** Starts the actors and waits until one chain has gone through everything. */
export async function warmUp(stage: Stage, { onProgress }: Pick<ChainOptions, 'onProgress'>): Promise<void> {
  await stage.startActors();
  const landscape = new Landscape(stage, 'bench-warm-up');
  await landscape.open();
  const items = chains(1, 'warm');
  await landscape.apply(items);
  await available(stage, landscape, items.length, onProgress);
  await landscape.remove(items);
  await gone(stage, landscape, onProgress);
  await landscape.close();
}

/** All up at once, then all down at once. */
export async function burst(
  stage: Stage,
  { count, profile, onProgress }: Pick<ChainOptions, 'count' | 'profile' | 'onProgress'>,
): Promise<{ readonly figures: Readonly<Record<string, number>>; readonly profile: Profile | undefined }> {
  const { clock } = stage;
  const landscape = new Landscape(stage, 'bench-chain');
  await landscape.open();
  await stage.reset();
  const items = chains(count, 'chain');
  if (profile) await stage.actors.ask('profile');

  const cpuBefore = await stage.cpu();
  const upAt = clock.now();
  await landscape.apply(items);
  const applyMs = clock.now() - upAt;
  const up = await available(stage, landscape, items.length, onProgress);
  const cpuUp = grown(cpuBefore, await stage.cpu());
  const profiled = profile ? await stage.actors.ask('profiled') : undefined;

  await stage.reset();
  const cpuThen = await stage.cpu();
  const downAt = clock.now();
  await landscape.remove([...items].reverse());
  const down = await gone(stage, landscape, onProgress);
  const cpuDown = grown(cpuThen, await stage.cpu());
  await landscape.close();
  return {
    profile: profiled,
    figures: {
      'up.ms': up.lastWriteAt - upAt,
      'up.applyMs': applyMs,
      'up.callsPerObject': sum(up.calls) / items.length,
      'up.writesPerObject': sum(up.writes) / items.length,
      ...spread('up.writes', up.writes, items.length),
      ...spread('up.refused', up.refusals, items.length),
      'up.messagesPerObject': sum(up.messages) / items.length,
      ...spread('up.messages', up.messages, items.length),
      ...spread('up.cpuMsPerObject', cpuUp, items.length),
      'down.ms': down.lastWriteAt - downAt,
      'down.callsPerObject': sum(down.calls) / items.length,
      'down.writesPerObject': (sum(down.writes) - (down.writes['DELETE'] ?? 0)) / items.length,
      ...spread('down.writes', down.writes, items.length),
      'down.messagesPerObject': sum(down.messages) / items.length,
      ...spread('down.messages', down.messages, items.length),
      ...spread('down.cpuMsPerObject', cpuDown, items.length),
    },
  };
}

/** @returns times from readiness to the dependent's request, in milliseconds */
async function paced(stage: Stage, { onProgress }: ChainOptions): Promise<readonly number[]> {
  const landscape = new Landscape(stage, 'bench-paced');
  await landscape.open();
  await stage.reset();
  for (let index = 0; index < PACED_CHAINS; index++) {
    await landscape.apply(chains(1, `paced-${index}`));
    await stage.clock.sleep(PACE_MS);
  }
  const { reactions } = await available(stage, landscape, PACED_CHAINS * OBJECTS_A_CHAIN, onProgress);
  return reactions;
}

/** Dependents first. */
export function chains(count: number, prefix: string): readonly Item[] {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  return [
    ...names.map((name) => port(name, name, name)),
    ...names.map((name) => subnet(name, name)),
    ...names.map((name) => network(name)),
  ];
}

/** Waits until so many objects are Available at the API server. */
export async function available(
  stage: Stage,
  landscape: Landscape,
  count: number,
  onProgress: (line: string) => void,
  plurals: readonly string[] = CHAIN,
): Promise<ActorsCounts> {
  return until(stage, async (counts) => {
    const settled = counts.countByState['idle.available'] ?? 0;
    onProgress(`${settled} of ${count} available`);
    if (settled < count) return settled;
    const now = await stored(landscape, plurals);
    return now.available >= count ? 'done' : settled + now.available;
  });
}

/** Waits until there are none. */
export async function gone(
  stage: Stage,
  landscape: Landscape,
  onProgress: (line: string) => void,
  plurals: readonly string[] = CHAIN,
): Promise<ActorsCounts> {
  return until(stage, async () => {
    const { present } = await stored(landscape, plurals);
    onProgress(`${present} left`);
    return present === 0 ? 'done' : -present;
  });
}

async function stored(
  landscape: Landscape,
  plurals: readonly string[],
): Promise<{ readonly present: number; readonly available: number }> {
  let [present, available] = [0, 0];
  for (const plural of plurals) {
    const now = await landscape.count(plural);
    present += now.present;
    available += now.available;
    // What is left of the first is enough to know: the others wait for it.
    if (now.available < now.present) break;
  }
  return { present, available };
}

/** Looks now and then. @param look  how far it is, by anything that changes as it goes on */
export async function until(
  stage: Stage,
  look: (counts: ActorsCounts) => Promise<'done' | number>,
): Promise<ActorsCounts> {
  const { clock } = stage;
  let last = Number.NaN;
  let movedAt = clock.now();
  for (;;) {
    const counts = await stage.counts();
    const now = await look(counts);
    if (now === 'done') return stage.counts();
    if (now !== last) movedAt = clock.now();
    last = now;
    if (clock.now() - movedAt > STALLED_MS) {
      throw new Error(`nothing has changed for ${STALLED_MS} ms: ${JSON.stringify(counts.countByState)}`);
    }
    await clock.sleep(POLL_MS);
  }
}
