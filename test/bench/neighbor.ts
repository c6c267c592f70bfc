// A neighbor: what a lone network in a quiet namespace takes, with nothing else to do and while thousands of objects of
// another namespace, on the same cloud, are created and then deleted. Beside it what the same requests take without any
// actor, made by the same lone user: what no runtime can go below on these processors.
import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { available, warmUp } from './chain.ts';
import { quantile, type Report } from './figures.ts';
import { Landscape, network } from './landscape.ts';
import type { LoneReport, LoneRequest } from './lone.process.ts';
import { COMPILE_CACHE, Stage, type StageOptions } from './stage.ts';

/** Lone networks, one after another, while all is quiet. */
const QUIET = 30;
/** Between two looks at whether the neighbor is done, in milliseconds. They are lists, so not too often. */
const LOOK_MS = 1_000;
/** A lone network that takes longer is lost, in milliseconds. */
const LOST_MS = 120_000;

interface Times {
  readonly object: number[];
  readonly direct: number[];
}

export async function neighbor(options: StageOptions & { readonly count: number }): Promise<Report> {
  const { count, onProgress } = options;
  const stage = await Stage.open(options);
  let user: LoneUser | undefined;
  try {
    await warmUp(stage, options);
    const lone = new Landscape(stage, 'bench-lone');
    const crowd = new Landscape(stage, 'bench-crowd');
    await Promise.all([lone.open(), crowd.open()]);
    user = await LoneUser.start(stage, lone);
    let left = QUIET;
    const quiet = await sample(user, 'quiet', () => --left === 0);

    const networks = Array.from({ length: count }, (_, index) => network(`crowd-${index}`));
    onProgress('the neighbor creates');
    const creating = await beside(stage, user, 'creating', async () => {
      await crowd.apply(networks);
      await available(stage, crowd, count, onProgress);
    });
    onProgress('the neighbor deletes');
    const deleting = await beside(stage, user, 'deleting', async () => {
      await crowd.remove(networks);
      while ((await crowd.count('networks')).present > 0) await stage.clock.sleep(LOOK_MS);
    });
    return {
      figures: {
        neighbors: count,
        ...figuresOf('quiet', quiet),
        ...figuresOf('creating', creating.times, quiet),
        'creating.ms': creating.ms,
        ...figuresOf('deleting', deleting.times, quiet),
        'deleting.ms': deleting.ms,
      },
    };
  } finally {
    user?.close();
    await stage.close();
  }
}

function figuresOf(name: string, { object, direct }: Times, quiet?: Times): Readonly<Record<string, number>> {
  return {
    [`${name}.samples`]: object.length,
    [`${name}.medianMs`]: quantile(object, 0.5),
    [`${name}.p99Ms`]: quantile(object, 0.99),
    [`${name}.direct.medianMs`]: quantile(direct, 0.5),
    [`${name}.direct.p99Ms`]: quantile(direct, 0.99),
    ...(quiet !== undefined && {
      [`${name}.ratio`]: quantile(object, 0.99) / quantile(quiet.object, 0.99),
      [`${name}.medianRatio`]: quantile(object, 0.5) / quantile(quiet.object, 0.5),
      [`${name}.direct.ratio`]: quantile(direct, 0.99) / quantile(quiet.direct, 0.99),
      [`${name}.direct.medianRatio`]: quantile(direct, 0.5) / quantile(quiet.direct, 0.5),
    }),
  };
}

/** What a lone user's networks take while the neighbor does something. */
async function beside(
  { clock }: Stage,
  user: LoneUser,
  name: string,
  work: () => Promise<void>,
): Promise<{ readonly times: Times; readonly ms: number }> {
  const startedAt = clock.now();
  let ms: number | undefined;
  const working = work().then(() => {
    ms = clock.now() - startedAt;
  });
  const times = await sample(user, name, () => ms !== undefined);
  await working;
  return { times, ms: ms ?? Number.NaN };
}

/** Lone networks and the same requests in turns, one after another; one of each at least. */
async function sample(user: LoneUser, name: string, isOver: () => boolean): Promise<Times> {
  const times: Times = { object: [], direct: [] };
  do {
    const called = `${name}-${times.object.length}`;
    times.object.push(await user.time({ name: called, manner: 'as an object' }));
    times.direct.push(await user.time({ name: called, manner: 'directly' }));
  } while (!isOver());
  return times;
}

class LoneUser {
  readonly #stage: Stage;
  readonly #child: ReturnType<typeof fork>;

  private constructor(stage: Stage, child: ReturnType<typeof fork>) {
    this.#stage = stage;
    this.#child = child;
  }

  static async start(stage: Stage, { namespace }: Landscape): Promise<LoneUser> {
    const cloudsFile = join(stage.folder, 'lone-clouds.yaml');
    await writeFile(cloudsFile, stage.cloudsYaml, { mode: 0o600 });
    const program = fileURLToPath(new URL('./lone.process.ts', import.meta.url));
    const env = { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE };
    const child = fork(program, [stage.kubeconfig, namespace, cloudsFile], { execArgv: [], env });
    const user = new LoneUser(stage, child);
    await user.#heard<{ readonly ready: true }>('it starts');
    return user;
  }

  /** @returns milliseconds */
  async time(request: LoneRequest): Promise<number> {
    this.#child.send(request);
    return (await this.#heard<LoneReport>(request.name)).ms;
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #heard<Message>(what: string): Promise<Message> {
    const { clock } = this.#stage;
    return new Promise((resolve, reject) => {
      const lost = (why: string) => (): void => reject(new Error(`the lone user, '${what}': ${why}`));
      const onExit = lost('the process has ended');
      const timer = clock.setTimeout(lost(`nothing after ${LOST_MS} ms`), LOST_MS);
      this.#child.once('exit', onExit);
      this.#child.once('message', (message) => {
        this.#child.off('exit', onExit);
        clock.clearTimeout(timer);
        resolve(message as Message);
      });
    });
  }
}
