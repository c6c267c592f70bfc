// long
// Random histories of a host: answers, edits and time in any order. `SEED=n` replays one.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { isEqual } from '../../../machines/bare-metal-host/status.ts';
import { HOSTILE, IMAGE, OTHER_IMAGE, type Parts, STATES } from './hosts.ts';
import {
  type Answers,
  conflict,
  done,
  fail,
  failed,
  type Lifecycle,
  live,
  NODE,
  ON,
  outcome,
  secret,
  transient,
  view,
  waiting,
} from './lives.ts';

const test = suite('histories of a host');
const HISTORIES = 600;
const STEPS = 25;
/** No history asks so often. */
const ENDLESS = 2_000;
const DAY_MS = 86_400_000;

/** Uniform in [0, 1), the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const OPERATIONS = [
  'register',
  'inspect',
  'prepare',
  'provision',
  'adopt',
  'deprovision',
  'power',
  'attachDataImage',
  'service',
  'remove',
];

const KEYS = ['reboot.metal3.io', 'reboot.metal3.io/a', 'baremetalhost.metal3.io/detached', 'inspect.metal3.io'];
/** What an inspection takes off. */
const GRANTED = ['inspect.metal3.io'];
const TEXTS = ['', '{"force": true}', '{"mode":"hard"}', '{"deleteAction":"delay"}', ...HOSTILE.slice(0, 12)];

test('nothing is done for what is not stored or is paused, and every host that is deleted goes', async () => {
  const first = Number(process.env['SEED'] ?? 0);
  const seeds = process.env['SEED'] === undefined ? Array.from({ length: HISTORIES }, (_, seed) => seed + 1) : [first];
  for (const seed of seeds) {
    try {
      await history(seed);
    } catch (error) {
      throw new Error(`SEED=${seed}`, { cause: error });
    }
  }
});

async function history(seed: number): Promise<void> {
  const random = randomOf(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  let isWell = false;
  let life: Lifecycle | undefined;
  // An effect that throws would only be tried again.
  const broken: string[] = [];
  let asked = 0;
  const answer = (name: string): unknown => {
    asked += 1;
    if (asked > ENDLESS) return new Promise(() => broken.push('asks without end'));
    if (life !== undefined) {
      const { status, object } = life.context();
      if (!isEqual(status, object.host.status))
        broken.push(`${name} while the status is not stored (BARE-METAL-HOST-3)`);
      if (object.host.metadata?.annotations?.['baremetalhost.metal3.io/paused'] !== undefined)
        broken.push(`${name} while paused (BARE-METAL-HOST-1)`);
    }
    if (isWell) return done({ node: NODE, unannotate: GRANTED });
    const node = pick([NODE, ON]);
    return pick([
      () => done({ node, unannotate: GRANTED }),
      () => done({ node, unannotate: GRANTED }),
      () => done({ node, unannotate: GRANTED }),
      () => waiting({ node }),
      () => outcome('pausing', { afterMs: 5_000 }),
      () => failed(pick(Object.values(ErrorType))),
      () => outcome('failed', { errorType: ErrorType.Registration, message: 'no', until: 'change' }),
      () => outcome('absent', {}),
      () => outcome('stuck', { message: 'who knows' }),
      fail(transient),
    ])();
  };
  const answers: Answers = {
    ...Object.fromEntries(OPERATIONS.map((name) => [name, () => answer(name)])),
    service: () => (isWell || random() < 0.7 ? done() : outcome('due', {})),
    power: (_, { target }) => (isWell ? done({ node: target === 'on' ? ON : NODE }) : answer('power')),
    capacity: () => ({ isFree: isWell || random() < 0.7, at: 0 }),
    writeStatus: () => (isWell || random() < 0.8 ? undefined : fail(pick([conflict, transient]))()),
  };
  const parts = (): Parts => ({
    spec: {
      online: random() < 0.7,
      externallyProvisioned: random() < 0.1,
      disablePowerOff: random() < 0.2,
      ...(random() < 0.5 && { image: pick([IMAGE, OTHER_IMAGE]) }),
      ...(random() < 0.2 && { customDeploy: { method: 'install' } }),
    },
    annotations: {
      ...Object.fromEntries(KEYS.filter(() => random() < 0.15).map((key) => [key, pick(TEXTS)])),
      ...(random() < 0.1 && { 'baremetalhost.metal3.io/paused': 'yes' }),
    },
  });
  life = await live(answers, view({ ...parts(), state: pick(STATES) }, { owned: random() < 0.5 }));
  for (let step = 0; step < STEPS; step += 1) {
    await pick([
      () => life?.edit(parts()),
      () => life?.edit(parts(), { isUnprepared: false, heldBy: [] }),
      () => life?.depend(secret(pick(['ready', 'absent', 'ready', 'deleting', 'pending']), pick(['1', '2']))),
      () => life?.pass(pick([5, 1_000, 60_000, DAY_MS])),
      () => (life?.actor.getSnapshot().children['watch'] ? life.see(pick([NODE, ON, undefined])) : undefined),
    ])();
  }
  // Whatever has been: with everything well, a host that the user deletes goes.
  isWell = true;
  await life.depend(secret('ready', '3'));
  await life.edit({ deleted: true });
  for (let turn = 0; turn < 20 && life.phase() !== 'deleted'; turn += 1) await life.pass(DAY_MS);
  assert.is(life.phase(), 'deleted');
  assert.equal(broken, []);
}

test.run();
