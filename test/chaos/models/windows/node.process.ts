// A process that plays the role csi-proxy on a node, as `troupe run` does, but for its machine, which is elsewhere: MACHINE_PORT says
// where, and MACHINE_SLOWNESS how slow this computer is. No adapter is served but that of Windows storage.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const [{ systemClock }, { configure }, { readConfig }, { run }, { openLog }, { windowsWith }, { distantHost }] =
  await Promise.all([
    import('../../../../actors/base/clock.ts'),
    import('../../../../actors/process/adapters.ts'),
    import('../../../../actors/base/config.ts'),
    import('../../../../actors/process/run.ts'),
    import('../../../../actors/base/log.ts'),
    import('../../../../adapters/windows/adapter.ts'),
    import('./machine-line.ts'),
  ]);

/** Longest that an answer is waited for on the reference machine, in milliseconds. */
const LIMIT_MS = 2_500;
const FORMAT_LIMIT_MS = 8_000;
const { env } = process;
const port = Number(env['MACHINE_PORT']);
const slowness = Number(env['MACHINE_SLOWNESS']);
const limitMs = (name: string): number => (name === 'volume.formatVolume' ? FORMAT_LIMIT_MS : LIMIT_MS) * slowness;
const adapter = windowsWith(async ({ clock }) => distantHost({ clock, port, limitMs }));
const config = readConfig(env, {}, [adapter]);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.exitCode = await run({
  config,
  adapters: [configure(adapter, env)],
  clock: systemClock(),
  log: openLog({ level: config.logLevel, readable: false }),
  signal: stop.signal,
});
