// `troupe csi-proxy serve`: the groups, on a host, behind their pipes.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { callLimitMs } from '../../../adapters/csi-proxy/limits.ts';
import { allGroups } from '../../../adapters/csi-proxy/server/all_groups_generated.ts';
import { CsiProxyServer, SERVER_LIMITS } from '../../../adapters/csi-proxy/server/csi-proxy-server.ts';
import { readFlags } from '../../../adapters/csi-proxy/server/flags.ts';
import { groupDeps } from '../../../adapters/csi-proxy/server/group-deps.ts';
import { serverMetrics } from '../../../adapters/csi-proxy/server/metrics.ts';
import { selected } from '../../../adapters/csi-proxy/server/selection.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { systemClock } from '../../clock.ts';
import { parseListenAddress } from '../../telling/listen-address.ts';
import { openLog } from '../../telling/log.ts';
import { type Listening, serveHealth, serveMetrics } from '../../telling/probes.ts';
import type { CsiProxyCommand } from './command.ts';
import { openHost } from './machine.ts';

export const serve: CsiProxyCommand = async (args, { env, stopSignal }) => {
  const flags = readFlags(args, process.platform);
  const clock = systemClock();
  const destination = flags.logFile === undefined ? process.stderr : await logFile(flags.logFile);
  const log = openLog({
    level: flags.logLevel,
    readable: destination === process.stderr && process.stderr.isTTY,
    destination,
  });
  if (flags.isService) log.warn('--windows-service is left to a wrapper: adapters/csi-proxy/server/README.md');
  const pages: Listening[] = [];
  const host = await openHost(flags, { clock, log, env });
  try {
    const deps = groupDeps({ ...flags.groups, clock, host });
    const groups = allGroups.map((group) => group.serve(deps));
    const metrics = serverMetrics();
    const server = new CsiProxyServer({
      groups: selected(groups, flags.selection),
      pipePrefix: flags.pipePrefix,
      clock,
      log,
      metrics,
      limits: {
        ...SERVER_LIMITS,
        ...flags.clientLimits,
        callsPerGroup: flags.callsPerGroup ?? SERVER_LIMITS.callsPerGroup,
      },
      limitMs: (rpc) => flags.limitsMs.get(rpc) ?? callLimitMs(rpc),
    });
    const stop = stopSignal();
    const metricsAddress = address('metrics-bind-address', flags.metricsAddress);
    if (metricsAddress !== undefined) pages.push(await serveMetrics(metricsAddress, metrics, undefined));
    const healthAddress = address('health-probe-bind-address', flags.healthAddress);
    if (healthAddress !== undefined) {
      pages.push(await serveHealth(healthAddress, () => (server.isServing ? host.ready?.() : 'no call is taken')));
    }
    await server.start();
    try {
      log.info({ host: flags.host, pipes: server.pipes.map(({ path }) => path) }, 'serving');
      await Promise.race([server.ended, aborted(stop)]);
      log.info({ drainMs: flags.drainMs }, 'stopping');
    } finally {
      await server.stop(flags.drainMs);
    }
    log.info('stopped');
    return 0;
  } finally {
    await Promise.all(pages.map((page) => page.close()));
    await host.close();
    if (destination !== process.stderr) await new Promise<void>((resolve) => destination.end(resolve));
  }
};

function address(flag: string, text: string): ReturnType<typeof parseListenAddress> {
  try {
    return parseListenAddress(text);
  } catch (error) {
    const rule = error instanceof Error ? error.message : String(error);
    throw new TerminalError(`--${flag} must be ${rule}; got '${text}'`, { cause: error });
  }
}

async function logFile(path: string): Promise<NodeJS.WritableStream> {
  const stream = createWriteStream(path, { flags: 'a' });
  try {
    await once(stream, 'open');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TerminalError(`--log_file: ${why}`, { cause: error });
  }
  return stream;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
