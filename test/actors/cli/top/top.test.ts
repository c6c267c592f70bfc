// long
// `troupe top` on a nats-server that knows its users: as the one who listens and says nothing.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { readConfig } from '../../../../actors/base/config.ts';
import { Ink } from '../../../../actors/cli/colors.ts';
import type { CommandContext } from '../../../../actors/cli/command-context.ts';
import * as top from '../../../../actors/cli/top/top.ts';
import { type Address, type Bus, type BusUser, natsBus, TerminalError } from '../../../../bus/mod.ts';
import { clock, until } from '../../../bus/harness.ts';
import { type SecuredServer, securedServer, seedFile } from '../../../bus/secured-server.ts';
import { findNatsServer } from '../../../world/environments.ts';
import { answerOf } from '../asking.ts';

const found = await findNatsServer();
const program = 'program' in found ? found.program : '';
const test = suite('troupe top');

const ALONE: BusUser = { name: 'alone', roles: [{ does: 'watch' }, { does: 'act', realms: ['openstack'] }] };
const OBSERVER: BusUser = { name: 'observer', roles: [{ does: 'observe' }] };
const network: Address = { realm: 'openstack', plural: 'networks', namespace: 'ns', name: 'a' };

type Asked = Omit<CommandContext, 'out' | 'err'>;

function on(body: (bus: Bus, asked: (more?: Partial<Asked>) => Asked) => Promise<void>): () => Promise<void> {
  return async () => {
    const server: SecuredServer = await securedServer(program, [ALONE, OBSERVER]);
    const folder = await mkdtemp(join(tmpdir(), 'troupe-top-'));
    const bus = await natsBus({
      url: server.url,
      clock,
      process: 'alone',
      user: ALONE,
      firstLease: 'immediate',
      nkeySeedFile: join(server.folder, seedFile(ALONE)),
      tls: { caFile: server.caFile },
    });
    try {
      await writeFile(join(folder, 'nats-url'), server.url);
      const env = { NATS_NKEY: join(server.folder, seedFile(OBSERVER)), NATS_CA: server.caFile };
      await body(bus, (more = {}) => ({
        config: readConfig(env),
        adapters: [],
        clock,
        home: undefined,
        names: [],
        namespace: undefined,
        output: undefined,
        reported: { since: '5m', data: folder },
        isTerminal: false,
        ink: Ink.Plain,
        stopSignal: () => new AbortController().signal,
        ...more,
      }));
      assert.not.match(await server.log(), 'Violation');
    } finally {
      await bus.close();
      await server.close();
      await rm(folder, { recursive: true });
    }
  };
}

function happen(bus: Bus): void {
  bus.trace.emit({ actor: network, type: 'transition', data: { tags: ['settled', 'available'] } });
  const call = { service: 'network', method: 'POST', path: '/v2.0/networks', status: 201, durationMs: 12 };
  bus.trace.emit({ actor: network, type: 'call', data: call });
}

async function kept(count: number, asked: (more?: Partial<Asked>) => Asked): Promise<void> {
  for (;;) {
    const { out } = await answerOf(top, asked({ output: 'json' }));
    if (JSON.parse(out).events.count >= count) return;
  }
}

test(
  'what was kept and who holds what, with no right but to listen',
  on(async (bus, asked) => {
    const lease = await bus.leases.acquire('shard.7', 'pod-1');
    assert.ok(lease);
    happen(bus);
    await kept(2, asked);
    const { code, out, err } = await answerOf(top, asked());
    assert.equal([code, err], [0, '']);
    assert.match(out, /^last 5 min, nats-server /);
    assert.match(out, /\nnetworks +1 +1 available\n/);
    assert.match(out, /\nnetwork +1 +0\.2 +0 +12 ms +12 ms\n/);
    assert.match(out, /\npod-1 +1\n/);
    const yaml = parse((await answerOf(top, asked({ output: 'yaml' }))).out);
    assert.equal(yaml.leases, [{ holder: 'pod-1', shards: 1, others: [] }]);
  }),
);

test(
  'watched, it goes on with what happens, and counts nothing twice',
  on(async (bus, asked) => {
    happen(bus);
    await kept(2, asked);
    const [out, err] = [new PassThrough(), new PassThrough()];
    const counts: number[] = [];
    out.setEncoding('utf8').on('data', (line: string) => counts.push(JSON.parse(line).events.count));
    const stop = new AbortController();
    const { reported } = asked();
    const question = asked({ output: 'json', reported: { ...reported, watch: true }, stopSignal: () => stop.signal });
    const watching = top.answer({ ...question, out, err });
    await until('the first figures', () => counts.length === 1);
    happen(bus);
    await until('what happened since', () => counts.at(-1) === 4);
    stop.abort();
    assert.is(await watching, 0);
    assert.equal([counts[0], counts.at(-1)], [2, 4]);
  }),
);

test(
  'without a bus, or with nonsense, it says what to do',
  on(async (_, asked) => {
    for (const [more, message] of [
      [
        { reported: { since: '5m', data: '/nowhere' } },
        /^there is no bus to look at: NATS_URL is not set, and '\/nowhere\/nats-url'/,
      ],
      [{ reported: { since: 'yesterday' } }, /^--since must be a Go duration/],
      [{ names: ['x'] }, /^'top' goes without 'x'/],
    ] as const) {
      try {
        await answerOf(top, asked(more));
        assert.unreachable();
      } catch (error) {
        assert.instance(error, TerminalError);
        assert.match((error as Error).message, message);
      }
    }
  }),
);

if ('refusal' in found) console.log(`skipped: ${found.refusal}`);
else test.run();
