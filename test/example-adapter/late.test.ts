// long
// A print that the shop begins late, asked for by a process that was killed meanwhile: its successor waits for it, and takes
// it for its own (P13). The process is a real one, which loads the adapter by itself; the shop outlives it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { TroupeProcess } from '../actors/processes.ts';
import { read } from '../bus/harness.ts';
import { findNatsServer, onNats } from '../world/environments.ts';
import { bound, makeBook, makePaper, openLibrary } from './library.ts';
import { startPrintShop } from './simulator.ts';

const ADAPTER = fileURLToPath(new URL('./adapter.ts', import.meta.url));
const LEASE_MS = 1_500;
/** Longer than any process takes to start: that the print begins in this time must not hang on the machine. */
const LANDS_WITHIN_MS = 600_000;

interface FrontDesk {
  readonly url: string;
  /** What came in, in order: `POST /slots/uid/prints`. */
  readonly requests: readonly string[];
  /** Hands what it kept back to the shop, whoever has gone meanwhile. */
  release(): void;
  close(): Promise<void>;
}

/** Hands everything on to the shop; orders of prints lie there until they are released. */
async function openFrontDesk(shopUrl: string): Promise<FrontDesk> {
  const requests: string[] = [];
  const released = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    requests.push(`${method} ${url}`);
    const body = Buffer.concat(await request.toArray());
    if (isPrint(`${method} ${url}`)) await released.promise;
    const answer = await fetch(new URL(url, shopUrl), { method, ...(body.length > 0 && { body }) });
    const text = await answer.text();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    release: () => released.resolve(),
    async close() {
      released.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const isPrint = (request: string): boolean => /^POST .*\/prints$/.test(request);

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('example adapter: late prints');
  test("a print that begins after its process was killed is its successor's, which orders no other (I4, P13)", async () => {
    const clock = systemClock();
    const ground = await onNats(found.program)();
    const shop = await startPrintShop({ clock, sheetMs: 5 });
    const desk = await openFrontDesk(shop.url);
    const library = await openLibrary({ clock, kubeconfig: ground.kubeconfig });
    const bus = await ground.connect('onlooker');
    const lists = await read(bus, { topic: 'creates' });
    /** By when what was asked for on behalf of a book has landed, as the bus was told last. */
    const inDoubtUntil = (): number => {
      const [book] = Object.entries((lists.mail.at(-1)?.payload['inDoubtUntil'] ?? {}) as JsonObject);
      return Number(book?.[1] ?? 0);
    };
    const processes: TroupeProcess[] = [];
    const start = (): TroupeProcess => {
      const process = new TroupeProcess(
        { ground },
        {
          TROUPE_ADAPTERS: ADAPTER,
          TROUPE_KINDS: 'Paper,Book',
          TROUPE_LEASE_MS: String(LEASE_MS),
          PRESS_URL: desk.url,
          PRESS_LANDS_WITHIN_MS: String(LANDS_WITHIN_MS),
        },
      );
      processes.push(process);
      return process;
    };
    try {
      const first = start();
      await makePaper(library);
      const { metadata } = await makeBook(library);
      await library.eventually('a print is ordered', () => desk.requests.some(isPrint));
      // Not what an earlier call of the same book left there: that would keep its successor waiting, too.
      await library.eventually('the order is listed', () => inDoubtUntil() > clock.now() + LANDS_WITHIN_MS / 2);
      await first.kill();
      assert.equal([shop.slots.get(metadata.uid)?.state, shop.slots.get(metadata.uid)?.prints], ['reserved', 0]);

      const from = desk.requests.length;
      const second = start();
      const looks = (): number => desk.requests.slice(from).filter((each) => each.startsWith('GET /slots/')).length;
      await library.eventually('its successor has looked twice', () => looks() >= 2);
      desk.release();
      await bound(library);
      assert.equal(desk.requests.filter(isPrint), [`POST /slots/${metadata.uid}/prints`]);
      assert.equal([shop.slots.get(metadata.uid)?.state, shop.slots.get(metadata.uid)?.prints], ['bound', 1]);
      await second.stop();
      const errors = processes.flatMap(({ lines }) => lines.filter(({ level }) => Number(level) >= 50));
      assert.equal([errors, processes.flatMap(({ said }) => said)], [[], []]);
    } finally {
      for (const process of processes) await process.kill();
      await lists.close();
      await bus.close();
      await library.close();
      await desk.close();
      await shop.close();
      await ground.close();
    }
  });
  test.run();
}
