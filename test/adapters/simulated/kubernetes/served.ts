// A server in a process of its own, which lives as long as who started it: `served.ts [folder [changes]]`, forked, where
// `changes` is how many each collection remembers for watches that come back. It sends where it is, and what it uses
// whenever it is sent something.
import { enableCompileCache, flushCompileCache } from 'node:module';

enableCompileCache(); // as the executable does, before anything is imported
const { systemClock } = await import('../../../../actors/base/clock.ts');
const { startApiServer } = await import('../../../../adapters/simulated/kubernetes/mod.ts');

export interface Served {
  readonly url: string;
  readonly caCertificate: string;
  readonly token: string;
}

/** What the process uses. */
export interface Usage {
  readonly residentBytes: number;
  /** Of all its threads since the start. */
  readonly cpuMs: number;
}

const [folder, changes] = process.argv.slice(2);
const { url, caCertificate, token } = await startApiServer({
  clock: systemClock(),
  ...(folder === undefined ? {} : { folder }),
  ...(changes === undefined ? {} : { remembered: { changes: Number(changes), characters: 8 * 1024 * 1024 } }),
});
flushCompileCache(); // it is killed as often as not
process.on('disconnect', () => process.exit()); // whoever started it is gone
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ residentBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 } satisfies Usage);
});
process.send?.({ url, caCertificate, token } satisfies Served);
