// What Stately's own receiver hears of events, and that pages from elsewhere hear nothing.
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { createMachine } from 'xstate';
import { inspection } from '../../../../actors/cli/events/inspection.ts';
import { type InspectionServer, serveInspection } from '../../../../actors/cli/events/inspection-server.ts';
import { openstackWith } from '../../../../adapters/openstack/mod.ts';
import { type Address, addressKey, type ReceivedEvent, TerminalError } from '../../../../bus/mod.ts';
import { BEGIN, EVENTS, NETWORK, SUBNET } from '../trace/change.ts';

const test = suite('inspection');

const SECRET: Address = { realm: 'core', plural: 'secrets', namespace: 'shop', name: 'clouds' };

async function served(run: (server: InspectionServer) => Promise<void>): Promise<void> {
  const server = await serveInspection(inspection([openstackWith({})]), { port: 0 });
  try {
    await run(server);
  } finally {
    await server.close();
  }
}

/** Tells it as soon as the receiver is there, and gives what it heard when there are so many frames. */
function received(
  server: InspectionServer,
  count: number,
  report: () => void,
): Promise<readonly StatelyInspectionEvent[]> {
  const frames: StatelyInspectionEvent[] = [];
  const { promise, resolve } = Promise.withResolvers<readonly StatelyInspectionEvent[]>();
  createWebSocketReceiver({ server: server.webSocketUrl }).subscribe((frame: StatelyInspectionEvent) => {
    frames.push(frame);
    if (frames.length === 1) report();
    if (frames.length === count) resolve(frames);
  });
  return promise;
}

test('sessions begin with the machine, then come events and snapshots; a late listener hears where all are (CLI-INSPECTION-1, CLI-INSPECTION-2)', () =>
  served(async (server) => {
    const [first, ...others] = EVENTS as readonly [ReceivedEvent, ...ReceivedEvent[]];
    server.report(first);
    const all = others.slice(0, 6);
    // The session that is there; three frames each for the others' first, one a call, two a transition.
    const frames = await received(server, 1 + 2 + 3 + 1 + 2 + 2 + 1, () => {
      for (const event of all) server.report(event);
    });
    const [subnet, network] = [addressKey(SUBNET), addressKey(NETWORK)];
    assert.equal(
      frames.map(
        ({ type, sessionId }) =>
          `${type} ${sessionId === subnet ? 'subnet' : sessionId === network ? 'network' : sessionId}`,
      ),
      [
        '@xstate.actor subnet',
        '@xstate.event subnet',
        '@xstate.snapshot subnet',
        '@xstate.actor network',
        '@xstate.event network',
        '@xstate.snapshot network',
        '@xstate.event network',
        '@xstate.event network',
        '@xstate.snapshot network',
        '@xstate.event subnet',
        '@xstate.snapshot subnet',
        '@xstate.event subnet',
      ],
    );
    const [actor] = frames;
    if (actor?.type !== '@xstate.actor') throw new Error('no actor');
    assert.is(actor.name, 'subnets/app');
    const machine = createMachine(JSON.parse(actor.definition ?? ''));
    assert.is(machine.id, 'externalResource');
    for (const frame of frames) {
      assert.type(frame._version, 'string');
      assert.match(frame.createdAt, /^\d+$/);
      if (frame.type !== '@xstate.snapshot') continue;
      const { value } = frame.snapshot as unknown as { readonly value: { readonly lifecycle: object } };
      // A state of the machine that was told.
      assert.ok(machine.resolveState({ value: value as never, context: {} }).value, JSON.stringify(value));
    }
    const answer = frames[9];
    assert.is(answer?.type === '@xstate.event' ? answer.sourceId : undefined, network);
    assert.is(frames[3]?.createdAt, String(BEGIN + 20));
  }));

test('what others only refer to lives by the guard, and a session ends with its object', () => {
  const { framesOf, present } = inspection([openstackWith({})]);
  const event = {
    actor: SECRET,
    type: 'transition',
    at: BEGIN,
    data: { from: '', to: 'idle', cause: 'lifecycle.started' },
  };
  const [actor, , snapshot] = framesOf(event);
  assert.is(JSON.parse(String(actor?.['definition'])).id, 'deletionGuard');
  assert.equal(snapshot?.['snapshot'], { status: 'active', value: 'idle', context: {} });
  assert.is([...present()].length, 1);
  const gone = framesOf({ actor: SECRET, type: 'deleted', at: BEGIN, data: { from: 'idle' } });
  assert.equal(gone.at(-1)?.['snapshot'], { status: 'done', value: 'idle', context: {} });
  assert.is([...present()].length, 0);
});

test('pages from elsewhere are refused, by WebSocket and without (CLI-INSPECTION-SERVER-1)', () =>
  served(async (server) => {
    const outcome = (headers: Readonly<Record<string, string>>): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(server.webSocketUrl, { headers });
        socket.on('open', () => {
          socket.close();
          resolve('open');
        });
        socket.on('error', ({ message }) => resolve(message));
      });
    assert.is(await outcome({ origin: server.url }), 'open');
    assert.match(await outcome({ origin: 'https://example.com' }), '401');
    assert.match(await outcome({ origin: 'null' }), '401');
    assert.match(await outcome({ host: 'example.com' }), '401');
    const page = await fetch(server.webSocketUrl.replace('ws', 'http'));
    assert.is(page.status, 200);
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      "default-src 'none'; frame-src https://stately.ai;",
    );
    assert.is((await fetch(`${server.webSocketUrl.replace('ws', 'http')}/other`)).status, 404);
  }));

test('a port that is taken is told', () =>
  served(async ({ url }) => {
    const port = Number(new URL(url).port);
    const error = await serveInspection(inspection([]), { port }).catch((thrown: unknown) => thrown);
    assert.instance(error, TerminalError);
    assert.match((error as Error).message, `--inspect cannot listen on port ${port}: `);
  }));

test.run();
