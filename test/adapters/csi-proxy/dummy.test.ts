// The dummy group over a pipe: a server that computes with 64 bits, a version that has only 32, and one that has all.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pipePath } from '../../../adapters/csi-proxy/base/pipes.ts';
import { Code } from '../../../adapters/csi-proxy/base/status.ts';
import { clock, type EchoHandler, failureOf, freshPrefix, served, type World } from './echo-group.ts';
import * as v1 from './example/client/dummy/v1/client_generated.ts';
import * as v1alpha1 from './example/client/dummy/v1alpha1/client_generated.ts';
import { allGroups } from './example/server/all_groups_generated.ts';
import { versionedAPIs } from './example/server/dummy/api_group_generated.ts';
import { Server } from './example/server/dummy/server.ts';

const test = suite('dummy group');

const unused: EchoHandler = async () => ({});

/** Runs a test with a client of each version. */
function withClients(body: (clients: { old: v1alpha1.Client; current: v1.Client }, world: World) => Promise<void>) {
  return served(
    unused,
    async (world) => {
      const path = (version: string): string => pipePath('dummy', version, world.prefix);
      const old = await v1alpha1.newClientWithPipePath(path('v1alpha1'), { clock });
      const current = await v1.newClientWithPipePath(path('v1'), { clock });
      try {
        await body({ old, current }, world);
      } finally {
        old.close();
        current.close();
      }
    },
    { groups: [versionedAPIs(new Server())] },
  );
}

const overflow = (double: bigint): string => `int32 overflow for ${double}`;

/** What is asked, and what each version answers: of the old one a number, an error, or nothing where it cannot ask. */
const CALLS: readonly (readonly [
  input: bigint,
  old: number | string | undefined,
  response: bigint,
  overflow: boolean,
])[] = [
  [28n, 56, 56n, false],
  [1073741823n, 2147483646, 2147483646n, false],
  [1073741824n, overflow(2147483648n), 2147483648n, false],
  [-1073741824n, -2147483648, -2147483648n, false],
  [-1073741825n, overflow(-2147483650n), -2147483650n, false],
  [4611686018427387903n, undefined, 9223372036854775806n, false],
  [4611686018427387904n, undefined, 0n, true],
  [-4611686018427387904n, undefined, -9223372036854775808n, false],
  [-9223372036854775808n, undefined, 0n, true],
  [0n, 0, 0n, false],
];

test(
  'both versions answer what they can say, and what the old one cannot say is an error',
  withClients(async ({ old, current }) => {
    for (const [input, answer, response, overflow] of CALLS) {
      assert.equal(await current.computeDouble({ input }), { response, overflow }, String(input));
      if (answer === undefined) continue;
      const call = old.computeDouble({ input32: Number(input) });
      if (typeof answer === 'number') assert.equal(await call, { response32: answer }, String(input));
      // What goes wrong on the way back is the server's: INTERNAL.
      else assert.equal(await failureOf(call), { code: Code.Internal, message: answer });
    }
  }),
);

test(
  'a request that the version cannot carry is not sent',
  withClients(async ({ old, current }) => {
    assert.match(
      (await failureOf(old.computeDouble({ input32: 2 ** 31 }))).message,
      /^v1alpha1\.ComputeDoubleRequest\.input32: /,
    );
    assert.match((await failureOf(current.computeDouble({ input: 2n ** 63n }))).message, /got 9223372036854775808$/);
  }),
);

test('versions are registered from the oldest to the newest, and groups listed', () => {
  assert.equal(
    allGroups.map(({ group }) => group),
    ['dummy'],
  );
  assert.equal(
    versionedAPIs(new Server()).map(({ group, version }) => [group, version]),
    [
      ['dummy', 'v1alpha1'],
      ['dummy', 'v1'],
    ],
  );
});

test('a client fails at once where nobody serves', async () => {
  const { prefix, remove } = freshPrefix();
  try {
    assert.match(
      (await failureOf(v1.newClientWithPipePath(pipePath('dummy', 'v1', prefix), { clock }))).message,
      /no process serves/,
    );
  } finally {
    remove();
  }
});

test.run();
