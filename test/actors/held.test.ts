// long
// One process hosts books, another prints them and is killed in the middle: the adapter of the example, on nats-server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import { installCrds } from '../../actors/process/install-crds.ts';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import { openstackContracts } from '../../adapters/openstack/mod.ts';
import { AbsentError, type JsonObject } from '../../bus/mod.ts';
import { adapter } from '../example-adapter/adapter.ts';
import { type PrintShop, startPrintShop } from '../example-adapter/simulator.ts';
import { findSharableNatsServer, type Ground, onNats } from '../world/environments.ts';
import { TroupeProcess } from './processes.ts';

const LEASE_MS = 3_000;
const SHEET_MS = 150;
const PAGES = 40;
const LIMIT_MS = 60_000;
const PRESS = '/apis/press.example.org/v1/namespaces/default';
const BOOK = `${PRESS}/books/one`;
const PAPER = `${PRESS}/papers/white`;
const APPLY = 'application/apply-patch+yaml';

const clock = systemClock();

interface World {
  readonly ground: Ground;
  readonly client: KubeClient;
  readonly shop: PrintShop;
}

async function onWorld(program: string, run: (world: World) => Promise<void>): Promise<void> {
  const ground = await onNats(program)();
  const shop = await startPrintShop({ clock, sheetMs: SHEET_MS });
  const client = kubeClient({ clock, kubeconfig: ground.kubeconfig });
  try {
    await installCrds(client, clock, () => undefined, [...openstackContracts, ...adapter.contracts]);
    // Or the first of them would wait for leases that nobody has.
    const bus = await ground.connect('first', { leaseMs: LEASE_MS });
    await bus.close();
    await run({ ground, client, shop });
  } finally {
    await client.close();
    await shop.close();
    await ground.close();
  }
}

interface Book {
  readonly uid: string;
  readonly status: JsonObject;
}

async function read(client: KubeClient, path: string): Promise<Book | undefined> {
  try {
    const { metadata, status = {} } = (await client.call({ method: 'GET', path })).body as {
      metadata: { uid: string };
      status?: JsonObject;
    };
    return { uid: metadata.uid, status };
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}

async function until(client: KubeClient, path: string, isSo: (book: Book | undefined) => boolean): Promise<Book> {
  const limit = clock.now() + LIMIT_MS;
  for (;;) {
    const book = await read(client, path);
    if (isSo(book)) return book ?? { uid: '', status: {} };
    if (clock.now() > limit) throw new Error(`not so: ${JSON.stringify(book)}`);
    await clock.sleep(20);
  }
}

async function apply(client: KubeClient, path: string, kind: string, spec: JsonObject): Promise<void> {
  const metadata = { name: path.slice(path.lastIndexOf('/') + 1) };
  const body = { apiVersion: 'press.example.org/v1', kind, metadata, spec };
  await client.call({ method: 'PATCH', path: `${path}?fieldManager=kubectl`, body, contentType: APPLY });
}

function describe(program: string): void {
  const test = suite('held in two processes');

  test('a process that is killed while it prints is noticed, and the book is not printed again (PORTS-1, P13)', async () => {
    await onWorld(program, async ({ ground, client, shop }) => {
      const env = {
        TROUPE_ADAPTERS: './test/example-adapter/adapter.ts',
        TROUPE_LEASE_MS: String(LEASE_MS),
        TROUPE_KINDS: 'Paper,Book',
      };
      const hosting = new TroupeProcess({ ground }, { ...env, TROUPE_ROLES: 'watch,actors' });
      const serving = (): TroupeProcess =>
        new TroupeProcess({ ground }, { ...env, TROUPE_ROLES: 'press', PRESS_URL: shop.url });
      const processes = [hosting, serving()];
      try {
        await apply(client, PAPER, 'Paper', { grams: 90 });
        await apply(client, BOOK, 'Book', { title: 'One', pages: PAGES, paperRef: { name: 'white' } });
        const { uid } = await until(client, BOOK, (book) => {
          const progress = book?.status['progress'] as { readonly sheets: number } | undefined;
          return progress !== undefined && progress.sheets > 1;
        });
        await processes[1]?.kill();
        // Nobody tells it but the silence.
        const failing = await until(client, BOOK, (book) => book?.status['phase'] === 'Failing');
        assert.match(String(failing.status['message']), 'was started; its outcome is unknown');
        processes.push(serving());
        await until(client, BOOK, (book) => book?.status['phase'] === 'Bound');
        assert.equal([shop.slots.get(uid)?.prints, shop.slots.get(uid)?.sheets], [1, PAGES]);

        for (const path of [BOOK, PAPER]) await client.call({ method: 'DELETE', path });
        for (const path of [BOOK, PAPER]) await until(client, path, (object) => object === undefined);
        assert.equal([shop.slots.size, shop.rolls.size], [0, 0]);
        for (const each of [hosting, processes[2]]) await each?.stop();
        const errors = processes.flatMap(({ lines }) => lines).filter(({ level }) => Number(level) >= 50);
        assert.equal(errors, []);
      } finally {
        for (const each of processes) await each.kill();
      }
    });
  });

  test.run();
}

const found = await findSharableNatsServer();
if ('refusal' in found) console.log(`skipped: ${found.refusal}`);
else describe(found.program);
