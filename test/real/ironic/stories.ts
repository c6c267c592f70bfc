// Tells stories of hosts at a time, each by a test of its own; and at the end, that no password of a BMC can be read anywhere, and
// that nothing was done to a host that nobody asked for.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { metal3Contracts } from '../../../adapters/ironic/api/contracts.ts';
import { type OrderBook, openOrderBook } from '../../adapters/ironic/order-book.ts';
import { unasked } from '../../adapters/ironic/orders.ts';
import { tracesOf } from '../../adapters/ironic/passwords.ts';
import { type HostWorld, openHostWorld } from '../../world/hosts.ts';
import { fleet } from './fleet.ts';
import { env, ironic, leaveNothing, type Scene } from './kept-host.ts';

export type Story = (scene: Scene) => Promise<void>;

const SECRECY = 'no password of a BMC is told anywhere, and nothing went wrong in the code';
const ORDERLINESS = 'nothing was deployed, wiped, cleaned or inspected without being asked for, or twice';

/** All begin at once; each waits for a machine. @param stories  by title */
export function report(test: Test, stories: Readonly<Record<string, Story>>): void {
  for (const [title, result] of begun(stories)) {
    test(title, async () => {
      const error = await result;
      if (error !== undefined) throw error;
    });
  }
}

function begun(stories: Readonly<Record<string, Story>>): ReadonlyMap<string, Promise<unknown>> {
  const clock = systemClock();
  const machines = fleet(env);
  const opened = async (): Promise<Scene> => {
    const orders = await openOrderBook(env('IRONIC_URL'));
    const stage = await openHostWorld({ clock, ...ironic(orders.url), processes: 'two' });
    await stage.start();
    return { stage, fleet: machines, orders };
  };
  const scene = opened();
  const beganAt = clock.now();
  const failure = async (title: string, story: Promise<void>): Promise<unknown> => {
    const error = await story.then(() => undefined).catch((reason) => reason);
    const seconds = Math.round((clock.now() - beganAt) / 1_000);
    process.stdout.write(`${error === undefined ? 'passed' : 'failed'} after ${seconds} s: ${title}\n`);
    return error;
  };
  const reported = async (story: Story): Promise<void> => story(await scene);
  const results = new Map(Object.entries(stories).map(([title, story]) => [title, failure(title, reported(story))]));
  const end = async (): Promise<void> => {
    await Promise.all(results.values());
    const { stage } = await scene;
    await isSecret(stage, machines.passwords).finally(stage.close).finally(leaveNothing);
  };
  const secrecy = failure(SECRECY, end());
  const order = async (): Promise<void> => {
    await secrecy;
    const { orders } = await scene;
    await orders.close();
    isOrderly(orders);
  };
  return new Map([...results, [SECRECY, secrecy], [ORDERLINESS, failure(ORDERLINESS, order())]]);
}

function isOrderly({ entries }: OrderBook): void {
  assert.equal(unasked(entries), []);
  // All of it went through the book.
  const taken = entries.flatMap((each) => (each.what === 'ordered' && each.status === 202 ? [each.target] : []));
  for (const target of ['inspect', 'provide', 'active', 'deleted']) assert.ok(taken.includes(target), target);
}

async function isSecret(stage: HostWorld, passwords: readonly string[]): Promise<void> {
  assert.equal(await toldPasswords(stage, passwords), []);
  // It would have been found.
  assert.ok(isToldIn(JSON.stringify({ host: `https://operator:${passwords[0]}@bmc` }), passwords));
  assert.ok(isToldIn(Buffer.from(`operator:${passwords[0]}`).toString('base64'), passwords));
  assert.equal(stage.errors, []);
}

/** Where one of the passwords can be read, beside the Secrets. */
export async function toldPasswords(stage: HostWorld, passwords: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const [where, text] of readable(stage)) {
    if (isToldIn(text, passwords)) found.push(`${where}: ${text.slice(0, 500)}`);
  }
  return found;
}

function isToldIn(text: string, passwords: readonly string[]): boolean {
  return passwords.some((password) => tracesOf(password).some((trace) => text.includes(trace)));
}

/** All that anybody may read: where, and what it says. */
async function* readable(stage: HostWorld): AsyncIterable<readonly [where: string, text: string]> {
  for (const line of stage.log) yield ['the log', JSON.stringify(line)];
  for (const said of stage.heard) yield ['the bus', said];
  for (const { plural } of [{ plural: 'events' }, ...metal3Contracts]) {
    for (const object of await stage.list(plural)) yield [plural, JSON.stringify(object)];
  }
}
