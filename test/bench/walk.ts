// Walks: how much of the source one object passes on its way up and down, by V8's precise coverage of this process.
//
// Counted are files of the product in which a function ran, and the different functions that ran. Code that only stands in for others is left out:
// simulators, the bus in memory and the benchmark itself. All else that runs meanwhile, such as the renewal of leases, is counted.
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { inMemory } from '../world/environments.ts';
import { isIn, withHosts } from '../world/hosts.ts';
import { World } from '../world/world.ts';
import type { Report } from './figures.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Folders of the product, without stand-ins. */
const PRODUCT = /^(?:actors|machines|bus|adapters)\/(?!simulated\/)/;
/** What runs in this process for the simulated API server alone: product files of other uses among them. */
const STAND_INS =
  /^(?:bus\/memory-|actors\/testing\/|adapters\/cel\/|adapters\/text\/(?:exact-json|formats|json|names)\.ts)/;
/** Simulated time after which nothing of the step before is under way, in milliseconds. */
const QUIET_MS = 2_000;

/** Names of the functions that ran, by file. */
export type Walk = ReadonlyMap<string, readonly string[]>;

/** @param isListed  names each file and its functions in the notes */
export async function walk({ isListed }: { readonly isListed: boolean }): Promise<Report> {
  const walks = { ...(await subnetWalks()), ...(await hostWalks()) };
  const figures: Record<string, number> = {};
  for (const [name, files] of Object.entries(walks)) {
    figures[`${name}.files`] = files.size;
    figures[`${name}.functions`] = [...files.values()].reduce((sum, functions) => sum + functions.length, 0);
  }
  const notes = Object.entries(walks).map(([name, files]) => [`${name}:`, ...linesOf(files)].join('\n'));
  return { figures, ...(isListed && { notes }) };
}

/** A subnet on a network that is ready: from apply until it is Available; from its deletion until it is deleted. */
export async function subnetWalks(): Promise<Readonly<Record<'subnet.up' | 'subnet.down', Walk>>> {
  const world = await World.open(inMemory, { logLevel: 'error' });
  const coverage = await Coverage.start();
  try {
    const [net, subnet] = [world.name('net'), world.name('subnet')];
    await world.apply(world.managed('Network', net));
    await world.available('Network', net);
    await world.clock.sleep(QUIET_MS);
    await coverage.take();
    await world.apply(world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: '192.168.155.0/24' }));
    await world.available('Subnet', subnet);
    const up = await coverage.take();
    await world.clock.sleep(QUIET_MS);
    await coverage.take();
    await world.delete('Subnet', subnet);
    await world.gone('Subnet', subnet);
    return { 'subnet.up': up, 'subnet.down': await coverage.take() };
  } finally {
    await coverage.stop();
    await world.close();
  }
}

/** A BareMetalHost: from its creation until it is available; from its deletion until it is deleted. */
export async function hostWalks(): Promise<Readonly<Record<'host.up' | 'host.down', Walk>>> {
  const walks: { up?: Walk; down?: Walk } = {};
  const coverage = await Coverage.start();
  try {
    await withHosts(async (world) => {
      await world.clock.sleep(QUIET_MS);
      await coverage.take();
      await world.host();
      await world.until('baremetalhosts/one', 'available', isIn('available'));
      walks.up = await coverage.take();
      await world.remove('baremetalhosts/one');
      await world.gone('baremetalhosts/one');
      walks.down = await coverage.take();
    });
  } finally {
    await coverage.stop();
  }
  return { 'host.up': walks.up ?? new Map(), 'host.down': walks.down ?? new Map() };
}

class Coverage {
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
  }

  static async start(): Promise<Coverage> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return new Coverage(session);
  }

  /** What ran since the start, or since the last call. */
  async take(): Promise<Walk> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const walk = new Map<string, string[]>();
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? fileURLToPath(url).replace(ROOT, '') : '';
      if (!PRODUCT.test(file) || STAND_INS.test(file)) continue;
      // The module itself is listed as a function from its first character on.
      const ran = functions.filter(
        ({ ranges: [range] }) => range !== undefined && range.count > 0 && range.startOffset > 0,
      );
      if (ran.length > 0)
        walk.set(
          file,
          ran.map(({ functionName }) => functionName || '(anonymous)'),
        );
    }
    return walk;
  }

  async stop(): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }
}

function linesOf(files: Walk): readonly string[] {
  return [...files]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([file, functions]) => `${String(functions.length).padStart(4)}  ${file}: ${[...new Set(functions)].join(' ')}`,
    );
}
