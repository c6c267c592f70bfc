// long
// Decompression: what xz, bzip2 and gzip make is read, piece by piece, and what is damaged is refused.
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../actors/base/clock.ts';
import { type Compression, decompressed } from '../../../adapters/openstack/downloads/compression/mod.ts';

const test = suite('compression');

const seed = Number(process.env['SEED'] ?? 20_261_121);
const random = mulberry32(seed);
const bytes = (length: number, values: number): Buffer =>
  Buffer.from(Array.from({ length }, () => Math.floor(random() * values)));

/** Contents of every sort: none, little, what repeats itself nearby and far away, and what does not. */
const NOISE = bytes(300_000, 256);
const CONTENTS: Readonly<Record<string, Buffer>> = {
  nothing: Buffer.alloc(0),
  'one byte': Buffer.from('a'),
  'runs of one byte': Buffer.alloc(1_000_000, 'x'),
  'runs of four and more': Buffer.from(`${'a'.repeat(12)}${'b'.repeat(45)}${'c'.repeat(259)}dddd`),
  text: Buffer.from(Array.from({ length: 40_000 }, (_, at) => `line ${at % 977} of ${at % 13}\n`).join('')),
  noise: NOISE,
  'noise, twice, far apart': Buffer.concat([NOISE, Buffer.alloc(1_500_000), bytes(1_000_000, 3), NOISE]),
};
const PROGRAMS: readonly (readonly [Compression, string, readonly string[]])[] = [
  ['xz', 'xz', ['-0']],
  ['xz', 'xz', ['-9e', '--check=sha256']],
  ['xz', 'xz', ['--check=crc32', '--block-size=100000']],
  ['xz', 'xz', ['--check=none', '--lzma2=lc=0,lp=4,pb=0,dict=64KiB']],
  ['xz', 'xz', ['--lzma2=lc=1,lp=2,pb=4,dict=4KiB,nice=273']],
  ['bz2', 'bzip2', ['-1']],
  ['bz2', 'bzip2', ['-9']],
  ['gz', 'gzip', ['-1']],
  ['gz', 'gzip', ['-9']],
];

function compress(program: string, args: readonly string[], content: Buffer): Buffer {
  return execFileSync(program, [...args, '-c'], { input: content, maxBuffer: 1 << 26 });
}

async function* inPieces(content: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function contentOf(format: Compression, file: Buffer, size = 65_536): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of decompressed(format, inPieces(file, size))) {
    assert.ok(chunk.length <= 1 << 17, `a piece of ${chunk.length} bytes`);
    all.push(chunk);
  }
  return Buffer.concat(all);
}

async function failure(format: Compression, file: Buffer): Promise<string> {
  try {
    await contentOf(format, file);
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return `${code}: ${message}`;
  }
  return 'nothing failed';
}

for (const [format, program, args] of PROGRAMS) {
  test(`what '${program} ${args.join(' ')}' makes is read, however it arrives; seed ${seed}`, async () => {
    for (const [name, content] of Object.entries(CONTENTS)) {
      const file = compress(program, args, content);
      assert.ok((await contentOf(format, file)).equals(content), name);
      if (file.length < 10_000) assert.ok((await contentOf(format, file, 1)).equals(content), `${name}, byte by byte`);
    }
  });
}

test('several files in one are one', async () => {
  const [one, other] = [Buffer.from('first'), Buffer.from('second'.repeat(1_000))];
  for (const [format, program] of [
    ['xz', 'xz'],
    ['bz2', 'bzip2'],
    ['gz', 'gzip'],
  ] as const) {
    const file = Buffer.concat([compress(program, [], one), compress(program, [], other)]);
    assert.ok((await contentOf(format, file)).equals(Buffer.concat([one, other])), format);
  }
  const padded = Buffer.concat([compress('xz', [], one), Buffer.alloc(8), compress('xz', [], other), Buffer.alloc(4)]);
  assert.ok((await contentOf('xz', padded)).equals(Buffer.concat([one, other])));
});

test('a file that is cut off, changed, or of another kind is refused, wherever that is', async () => {
  const content = Buffer.concat([CONTENTS['text'] as Buffer, NOISE.subarray(0, 20_000)]);
  for (const [format, program] of [
    ['xz', 'xz'],
    ['bz2', 'bzip2'],
    ['gz', 'gzip'],
  ] as const) {
    const file = compress(program, [], content);
    const refused = /^transient: the downloaded content cannot be decompressed: /;
    for (let round = 0; round < 40; round++) {
      const at = Math.floor(random() * (file.length - 1));
      assert.match(
        await failure(format, file.subarray(0, at)),
        at === 0 && format === 'gz' ? /./ : refused,
        `${format} cut at ${at}`,
      );
      // The head of a gzip file holds a time and a name, which nothing is checked by.
      const place = format === 'gz' ? Math.max(at, 20) : at;
      const changed = Buffer.from(file);
      changed[place] = (changed[place] as number) ^ (1 << Math.floor(random() * 8));
      assert.match(
        await failure(format, changed),
        refused,
        `${format} changed at ${place} of ${file.length}; seed ${seed}`,
      );
    }
    assert.match(await failure(format, Buffer.from('<html>no such file</html>')), refused, format);
  }
});

test('what a file may not ask for is refused: filters, and more memory than xz -9 takes', async () => {
  const filtered = compress('xz', ['--x86', '--lzma2'], NOISE);
  assert.match(await failure('xz', filtered), /it uses filters of xz other than LZMA2$/);
  const huge = compress('xz', ['--lzma2=dict=128MiB'], Buffer.from('little'));
  assert.match(await failure('xz', huge), /its dictionary is larger than that of xz -9$/);
});

test('what the source fails with is what is told, and it is let go', async () => {
  for (const format of ['xz', 'bz2', 'gz'] as const) {
    let isClosed = false;
    const file = compress(format === 'bz2' ? 'bzip2' : format === 'gz' ? 'gzip' : 'xz', [], NOISE);
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield file.subarray(0, 1_000);
        const { TransientError } = await import('../../../bus/errors.ts');
        throw new TransientError('the host is gone');
      } finally {
        isClosed = true;
      }
    };
    try {
      for await (const _ of decompressed(format, failing()));
      assert.unreachable('nothing failed');
    } catch (error) {
      assert.is((error as Error).message, 'the host is gone', format);
    }
    assert.ok(isClosed, format);
  }
});

test.run();
