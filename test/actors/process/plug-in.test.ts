// What an adapter from outside may do wrong, and what comes of it: it is named, its secrets are not told, and nobody else waits.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contained } from '../../../actors/process/plug-in.ts';
import type { DeclaredKind, Operation, Served, ServePorts } from '../../../adapters/api/adapter.ts';
import { TerminalError, type TroupeError } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('adapters from outside, contained');

const clock = simulatedClock();
const LIMIT_MS = 50;

/** A kind whose life answers questions about an object so. */
function book(view: () => unknown): DeclaredKind {
  const life = { view, provide: () => undefined } as unknown as DeclaredKind['life'];
  return { kind: 'Book', plural: 'books', operations: ['find'], life, references: () => [] } as never;
}

const SECRET = {
  uid: 'u',
  resourceVersion: '1',
  data: { login: Buffer.from('user=ann\npassword: "hunter2-of-ann"\n') },
};

interface World {
  readonly served: Served;
  readonly lines: readonly string[];
  find(namespace?: string): Promise<TroupeError>;
}

/** A plug-in that is served with one operation. */
async function served(find: (ports: ServePorts) => Promise<unknown>, begin?: () => Promise<void>): Promise<World> {
  const lines: string[] = [];
  const note = (fields: object, message: string): void => {
    lines.push(`${JSON.stringify(fields)} ${message}`);
  };
  const log = { debug: note, info: note, warn: note, error: note };
  const readSecret = async () => ({ ...SECRET, data: { login: SECRET.data.login.toString('base64') } });
  const plugIn = contained('press', {
    kinds: [book(() => ({}))],
    async serve(ports) {
      await begin?.();
      return {
        operations: { books: { find: (() => find(ports)) as Operation } },
        close: async () => void lines.push('closed'),
      };
    },
  });
  const given = await plugIn.serve({ clock, log, readSecret } as unknown as ServePorts);
  return {
    served: given,
    lines,
    async find(namespace = 'team-a') {
      const run = given.operations['books']?.['find'] as (request: object) => Promise<never>;
      return run({ object: { metadata: { namespace, name: 'b' } } }).catch((error: TroupeError) => error);
    },
  };
}

test('33.E6: a question that never returns fails after its limit, and says whose it is (PLUG-IN-1)', () => {
  const [loops, throws, answers] = [
    () => {
      for (;;);
    },
    () => {
      throw new RangeError('no page');
    },
    () => ({ uid: '1' }),
  ].map((view) => contained('press', { kinds: [book(view)], serve: never }, { limitMs: LIMIT_MS }).kinds[0]?.life.view);
  assert.throws(() => loops?.({} as never, 0), /^adapter 'press': 'view' of Book did not return within 50 ms$/);
  assert.throws(() => throws?.({} as never, 0), /^adapter 'press': 'view' of Book failed: no page$/);
  assert.equal(answers?.({} as never, 0), { uid: '1' });
});

async function never(): Promise<never> {
  return new Promise(() => undefined);
}

test('33.E4, 33.E5: what it throws is told without a stack, and without what it read of Secrets (PLUG-IN-2)', async () => {
  const world = await served(async ({ readSecret }) => {
    await readSecret('team-a', 'login');
    throw new RangeError('login hunter2-of-ann was refused');
  });
  const error = await world.find();
  assert.is(error.message, "adapter 'press' failed in 'find' of books: login *** was refused");
  assert.is(error.cause, undefined);
  assert.not.match(String(error.stack), 'hunter2');
  assert.match(
    (await world.find('team-b')).message,
    'hunter2-of-ann',
    'what another namespace holds tells nothing here',
  );
  await world.served.close();
});

test('what it says for people is told as it says it', async () => {
  const world = await served(async () => {
    throw new TerminalError('a book has two pages at least', { reason: 'TooShort' });
  });
  const error = await world.find();
  assert.equal([error.message, error.code], ['a book has two pages at least', 'terminal']);
  assert.is((error as { reason?: string }).reason, 'TooShort');
  await world.served.close();
});

test('33.E6: a serve that never returns holds up nobody, and is told (PLUG-IN-4)', async () => {
  const through = Promise.withResolvers<void>();
  const beganAt = clock.now();
  const world = await served(
    async () => ({ matches: [] }),
    () => through.promise,
  );
  assert.is(clock.now() - beganAt, 10_000);
  assert.match(world.lines.join(), /has not returned yet/);
  assert.equal((await world.find()).message, "adapter 'press' does not serve yet");
  through.resolve();
  await clock.settle();
  assert.equal(await world.find(), { matches: [] });
  await world.served.close();
  assert.is(world.lines.at(-1), 'closed', 'what it opened late, too');
});

test('33.E6: what serve throws, or returns in place of operations, ends the start with the name', async () => {
  const rejected = (run: () => Promise<World>) => run().then(String, ({ message }: Error) => message);
  const failing = async () => {
    throw new RangeError('no press');
  };
  assert.is(await rejected(() => served(never, failing)), "adapter 'press' cannot be served: no press");
  const plugIn = contained('press', { kinds: [], serve: async () => undefined as never });
  const message = await plugIn.serve({ clock } as unknown as ServePorts).then(String, (error: Error) => error.message);
  assert.is(message, "adapter 'press' cannot be served: 'serve' must return 'operations' and 'close'");
});

/** Runs a plug-in whose `serve` does that, in a process of its own. @param beside  what the process does itself */
async function processOf(statements: string, beside = ''): Promise<{ readonly code: number; readonly out: string }> {
  const url = new URL('../../../actors/process/plug-in.ts', import.meta.url).href;
  const script = `
    const { contained } = await import(${JSON.stringify(url)});
    const { systemClock } = await import(${JSON.stringify(new URL('../../../actors/base/clock.ts', import.meta.url).href)});
    const note = (fields, message) => console.log(JSON.stringify(fields), message);
    const ports = { clock: systemClock(), log: { error: note, info: note, warn: note, debug: note } };
    const serve = async () => { ${statements}; return { operations: {}, close: async () => undefined } };
    const { close } = await contained('press', { kinds: [], serve }).serve(ports);
    ${beside}
    await new Promise((resolve) => setTimeout(resolve, 50));
    await close();
    console.log('at work');`;
  const { PATH = '' } = process.env;
  const args = ['--input-type=module', '--eval', script];
  const options = { env: { PATH }, cwd: fileURLToPath(new URL('../../..', import.meta.url)) };
  return promisify(execFile)(process.execPath, args, options).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, out: stdout }),
  );
}

test('33.E6: a promise that fails unheard, or a timer that throws, is said and ends nothing (PLUG-IN-3)', async () => {
  const { code, out } = await processOf(`
    setTimeout(async () => { throw new Error('a promise of the press') }, 1);
    setTimeout(() => { throw new Error('a timer of the press') }, 2)`);
  assert.is(code, 0, out);
  assert.match(out, /a promise of the press.* failed outside of any operation/);
  assert.match(out, /a timer of the press.* failed outside of any operation/);
  assert.match(out, /at work\n$/);
});

test('what fails unheard and is not the code of a plug-in ends the process still', async () => {
  const { code, out } = await processOf(
    '',
    "await new Promise(() => setTimeout(() => Promise.reject(new Error('a defect of ours')), 1));",
  );
  assert.is(code, 1, out);
  assert.not.match(out, /at work/);
});

test.run();
