// Standard streams that Node cannot open.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mendStreams } from '../../../actors/process/streams.ts';

const test = suite('standard streams');

interface Streams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

function failure(code: string): Error {
  return Object.assign(new Error(`open ${code}`), { code });
}

/** A process whose standard output cannot be opened, as a pipe of Linux under Wine. */
function closedOutput(): Streams {
  return {
    get stdout(): never {
      throw failure('EBADF');
    },
    stderr: process.stderr,
  };
}

test('33.C7: standard output that cannot be opened is written to by its number, in whatever pieces it takes', async () => {
  const given = closedOutput();
  let said = '';
  mendStreams(given, (number, bytes) => {
    assert.is(number, 1);
    said += Buffer.from(bytes.subarray(0, 3)).toString();
    return Math.min(bytes.length, 3);
  });
  await new Promise<void>((resolve) => given.stdout.write('serving\n', () => resolve()));
  assert.is(said, 'serving\n');
  assert.is(given.stderr, process.stderr);
});

test('33.C7: what can be written nowhere ends nothing; a reader that has gone is told of', async () => {
  for (const [code, expected] of [
    ['EBADF', undefined],
    ['EPIPE', 'EPIPE'],
  ] as const) {
    const given = closedOutput();
    mendStreams(given, () => {
      throw failure(code);
    });
    const { promise, resolve } = Promise.withResolvers<unknown>();
    given.stdout.on('error', () => undefined);
    given.stdout.write('x', (error) => resolve((error as NodeJS.ErrnoException | undefined | null)?.code));
    assert.is(await promise, expected);
  }
});

test.run();
