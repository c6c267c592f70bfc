// A neighbour: what a lone network in a quiet namespace takes, with nothing else to do and while thousands of objects of
// another namespace, on the same cloud, are created and then deleted.
import { available, warmUp } from './chain.ts';
import { quantile, type Report } from './figures.ts';
import { Landscape, network } from './landscape.ts';
import { Stage, type StageOptions } from './stage.ts';

/** Lone networks, one after another, for each of the three times. */
const QUIET = 30;
/** Between two looks at a lone network, in milliseconds. */
const POLL_MS = 5;
/** A lone network that takes longer is lost, in milliseconds. */
const LOST_MS = 120_000;

export async function neighbour(options: StageOptions & { readonly count: number }): Promise<Report> {
  const { count, onProgress } = options;
  const stage = await Stage.open(options);
  try {
    await warmUp(stage, options);
    const lone = new Landscape(stage, 'bench-lone');
    const crowd = new Landscape(stage, 'bench-crowd');
    await Promise.all([lone.open(), crowd.open()]);
    const quiet: number[] = [];
    for (let index = 0; index < QUIET; index++) quiet.push(await timeOf(stage, lone, `quiet-${index}`));

    const networks = Array.from({ length: count }, (_, index) => network(`crowd-${index}`));
    onProgress('the neighbour creates');
    let isUp = false;
    const upAt = stage.clock.now();
    const up = crowd
      .apply(networks)
      .then(() => available(stage, crowd, count, onProgress))
      .then(() => {
        isUp = true;
      });
    const creating = await sample(stage, lone, 'creating', () => isUp);
    await up;
    const upMs = stage.clock.now() - upAt;

    onProgress('the neighbour deletes');
    let isDown = false;
    const downAt = stage.clock.now();
    const down = crowd.remove(networks).then(async () => {
      for (;;) {
        if ((await crowd.count('networks')).present === 0) break;
        await stage.clock.sleep(200);
      }
      isDown = true;
    });
    const deleting = await sample(stage, lone, 'deleting', () => isDown);
    await down;
    const downMs = stage.clock.now() - downAt;
    const p99 = quantile(quiet, 0.99);
    return {
      figures: {
        neighbours: count,
        'quiet.medianMs': quantile(quiet, 0.5),
        'quiet.p99Ms': p99,
        ...figuresOf('creating', creating, p99),
        'creating.ms': upMs,
        ...figuresOf('deleting', deleting, p99),
        'deleting.ms': downMs,
      },
    };
  } finally {
    await stage.close();
  }
}

function figuresOf(name: string, times: readonly number[], quietP99: number): Readonly<Record<string, number>> {
  return {
    [`${name}.samples`]: times.length,
    [`${name}.medianMs`]: quantile(times, 0.5),
    [`${name}.p99Ms`]: quantile(times, 0.99),
    [`${name}.ratio`]: quantile(times, 0.99) / quietP99,
  };
}

/** Lone networks, one after another, until the neighbour is done; one at least. */
async function sample(stage: Stage, lone: Landscape, name: string, isOver: () => boolean): Promise<readonly number[]> {
  const times: number[] = [];
  do times.push(await timeOf(stage, lone, `${name}-${times.length}`));
  while (!isOver());
  return times;
}

/** From the request of the user until the network is Available, in milliseconds. */
async function timeOf({ clock }: Stage, lone: Landscape, name: string): Promise<number> {
  const startedAt = clock.now();
  await lone.apply([network(name)]);
  while (!(await lone.isAvailable('networks', name))) {
    if (clock.now() - startedAt > LOST_MS) throw new Error(`'${name}' is not Available after ${LOST_MS} ms`);
    await clock.sleep(POLL_MS);
  }
  return clock.now() - startedAt;
}
