// Operations that go to the process of a node, on any bus.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CalledAdapter,
  type ServedHere,
  serveOperations,
  withOperations,
} from '../../../actors/effects/operations-service.ts';
import type { DeclaredKind, Operation } from '../../../adapters/api/adapter.ts';
import { type Bus, type Clock, type JsonObject, TerminalError, traceparentOf } from '../../../bus/mod.ts';
import type { Kind, OperationRequest } from '../../../machines/kind.ts';
import type { LongCall, LongCallRequest } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';

/** Called part of an adapter with one kind. */
export function things(more: Partial<CalledAdapter> = {}): CalledAdapter {
  return { realm: 'test', kinds: [{ plural: 'things', operations: ['create'] } as unknown as DeclaredKind], ...more };
}

/** Accepts every request. */
export const TRUSTING: Parameters<typeof serveOperations>[3] = {
  version: '1.0.0',
  admission: { admit: async (_, request) => request, note: () => undefined },
};

export function serving(operations: Readonly<Record<string, Operation>>, node?: string): ServedHere {
  return { operations: { things: operations }, node };
}

/** @param withBus  runs a test with the way to connect one more process, and the clock of all */
export function describeRouting(
  test: Test,
  withBus: (run: (connect: (process: string) => Promise<Bus>, clock: Clock) => Promise<void>) => Promise<void>,
): void {
  test('a request over the bus belongs to the change that it is made for', async () => {
    await withBus(async (connect, clock) => {
      const [server, caller] = [await connect('server'), await connect('caller')];
      try {
        await serveOperations(server, things(), serving({ create: async ({ traceparent }) => traceparent }), TRUSTING);
        const carried: (string | undefined)[] = [];
        const request: typeof caller.services.request = (subject, asked, deadlineAt, tracing) => {
          carried.push(tracing?.traceparent);
          return caller.services.request(subject, asked, deadlineAt, tracing);
        };
        const [kind] = withOperations(
          { ...caller, services: { ...caller.services, request } },
          things(),
          undefined,
          clock,
        );
        const object = { metadata: { name: 'c' } } as unknown as KubeObject;
        const [traceparent, deadlineAt] = [traceparentOf('c'), clock.now() + 5_000];
        const answer = await (kind as Kind).operations['create']?.({ object, deadlineAt, traceparent } as never);
        assert.equal([answer, carried], [traceparent, [traceparent]]);
      } finally {
        await caller.close();
        await server.close();
      }
    });
  });

  test('what takes as long as it takes is told of, given up and answered over the bus, at the node that it names', async () => {
    await withBus(async (connect, clock) => {
      const [server, other, caller] = [await connect('server'), await connect('other'), await connect('caller')];
      try {
        const adapter = things({ route: () => 'one.example.org' });
        const requests: object[] = [];
        const create = async ({
          signal,
          validUntil,
          progress,
          ...request
        }: LongCallRequest): Promise<JsonObject | undefined> => {
          requests.push(request);
          assert.ok(validUntil() > clock.now());
          progress({ sheets: 1 });
          if (request.object.spec?.['isShort'] === true) return undefined;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          throw new TerminalError('it was stopped');
        };
        await serveOperations(server, adapter, serving({ create: create as Operation }, 'one.example.org'), TRUSTING);
        const wrong: Operation = async () => 'on another node';
        await serveOperations(other, adapter, serving({ create: wrong }, 'two'), TRUSTING);
        const [kind] = withOperations(caller, adapter, serving({ create: wrong }, 'three'), clock);
        const stop = new AbortController();
        const heard: JsonObject[] = [];
        const held = (isShort: boolean): Promise<unknown> => {
          const object = { metadata: { name: 'c' }, spec: { isShort } } as unknown as KubeObject;
          const request: Omit<LongCall, 'dependencies'> = {
            object,
            traceparent: traceparentOf('c'),
            signal: stop.signal,
            progress: (progress) => heard.push(progress),
            beginBy: clock.now() + 5_000,
            validUntil: () => clock.now() + 15_000,
          };
          return (kind as Kind).operations['create']?.(request as never) ?? Promise.reject(new Error('none'));
        };
        assert.is(await held(true), undefined);
        assert.equal(heard, [{ sheets: 1 }]);
        assert.equal(Object.keys(requests[0] ?? {}).sort(), ['object', 'traceparent']);
        const answer = held(false);
        while (heard.length < 2) await clock.sleep(2);
        stop.abort();
        try {
          await answer;
          assert.unreachable('it was stopped');
        } catch (error) {
          assert.instance(error, TerminalError);
        }
      } finally {
        for (const bus of [caller, other, server]) await bus.close();
      }
    });
  });

  test('a request goes to the process of the node that it names', async () => {
    await withBus(async (connect, clock) => {
      const buses: Bus[] = [];
      const open = async (process: string): Promise<Bus> => {
        const bus = await connect(process);
        buses.push(bus);
        return bus;
      };
      try {
        const adapter = things({ route: ({ object }) => object.spec?.['node'] as string | undefined });
        const on = (node: string): ServedHere =>
          serving({ create: async ({ object }: OperationRequest) => `${object.metadata.name} on ${node}` }, node);
        // The name of a node has dots, a token has none.
        for (const node of ['one.example.org', 'two'])
          await serveOperations(await open('server'), adapter, on(node), TRUSTING);
        const caller = await open('caller');
        const ask = (bus: Bus, here: ServedHere | undefined, node?: string): Promise<unknown> => {
          const [kind] = withOperations(bus, adapter, here, clock);
          const object = { metadata: { name: 'c' }, spec: node === undefined ? {} : { node } } as unknown as KubeObject;
          const deadlineAt = clock.now() + 5_000;
          return (
            (kind as Kind).operations['create']?.({ object, deadlineAt } as never) ??
            Promise.reject(new Error('no such operation'))
          );
        };
        assert.is(await ask(caller, undefined, 'one.example.org'), 'c on one.example.org');
        assert.is(await ask(caller, undefined, 'two'), 'c on two');
        assert.match(String(await ask(caller, undefined)), /^c on (one.example.org|two)$/);
        assert.is(await ask(caller, serving({ create: async () => 'here' }, 'two'), 'two'), 'here');
        assert.is(
          await ask(caller, serving({ create: async () => 'here' }, 'two'), 'one.example.org'),
          'c on one.example.org',
        );
        try {
          await ask(caller, serving({ create: async () => 'here' }, 'two'), 'three');
          assert.unreachable('nobody is there');
        } catch (error) {
          assert.match((error as Error).message, "no process serves 'test.three.things.create'");
        }
      } finally {
        for (const bus of buses) await bus.close();
      }
    });
  });
}
