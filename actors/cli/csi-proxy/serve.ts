// `troupe csi-proxy serve`: the groups, on a host, behind their pipes.
import { isSea } from 'node:sea';
import type { Logger } from 'pino';
import { callLimitMs } from '../../../adapters/csi-proxy/base/limits.ts';
import { allGroups } from '../../../adapters/csi-proxy/server/all_groups_generated.ts';
import { CsiProxyServer, SERVER_LIMITS } from '../../../adapters/csi-proxy/server/csi-proxy-server.ts';
import { readFlags, type ServeFlags } from '../../../adapters/csi-proxy/server/flags.ts';
import { groupDeps } from '../../../adapters/csi-proxy/server/group-deps.ts';
import { groupLogLevel, type LogFlags, Severity } from '../../../adapters/csi-proxy/server/log-flags.ts';
import { serverMetrics } from '../../../adapters/csi-proxy/server/metrics.ts';
import { selected } from '../../../adapters/csi-proxy/server/selection.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { systemClock } from '../../base/clock.ts';
import { parseListenAddress } from '../../base/listen-address.ts';
import { openLog } from '../../base/log.ts';
import { TROUPE_VERSION } from '../../base/version.ts';
import { type Listening, serveHealth, serveMetrics } from '../../observability/probes.ts';
import type { CsiProxyCommand } from './command.ts';
import { LogFiles } from './log-files.ts';
import { openHost } from './machine.ts';
import { beginService } from './service/here.ts';

export const serve: CsiProxyCommand = async (args, { env, stopSignal }) => {
  const flags = readFlags(args, process.platform);
  const clock = systemClock();
  const destination = logDestination(flags.log, clock);
  const log = openLog({
    level: flags.log.level,
    // One executable has no package that makes lines readable.
    readable: destination === process.stderr && process.stderr.isTTY && !isSea(),
    destination,
  });
  try {
    const run = (stop: AbortSignal, onServing: () => void) => serveUntil(stop, { flags, clock, log, env, onServing });
    if (!flags.isService || process.platform !== 'win32') {
      if (flags.isService) log.warn('--windows-service means nothing here: this is no Windows');
      return await run(stopSignal(), () => undefined);
    }
    const service = await beginService(flags);
    try {
      await run(AbortSignal.any([stopSignal(), service.stop]), () => service.running());
      await service.stopped(0);
      return 0;
    } catch (err) {
      // The standard error of a service is not visible.
      log.fatal({ err }, 'the service fails');
      await service.stopped(1);
      throw err;
    }
  } finally {
    if (destination instanceof LogFiles) destination.close();
  }
};

interface Serving {
  readonly flags: ServeFlags;
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
  readonly onServing: () => void;
}

/** @returns the exit code */
async function serveUntil(stop: AbortSignal, { flags, clock, log, env, onServing }: Serving): Promise<number> {
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
      logOf: (group) => log.child({}, { level: groupLogLevel(flags.log, group) }),
      metrics,
      limits: {
        ...SERVER_LIMITS,
        ...flags.clientLimits,
        callsPerGroup: flags.callsPerGroup ?? SERVER_LIMITS.callsPerGroup,
      },
      limitMs: (rpc) => flags.limitsMs.get(rpc) ?? callLimitMs(rpc),
    });
    const metricsAddress = address('metrics-bind-address', flags.metricsAddress);
    if (metricsAddress !== undefined) pages.push(await serveMetrics(metricsAddress, metrics, undefined));
    const healthAddress = address('health-probe-bind-address', flags.healthAddress);
    if (healthAddress !== undefined) {
      pages.push(await serveHealth(healthAddress, () => (server.isServing ? host.ready?.() : 'no call is taken')));
    }
    await server.start();
    try {
      log.info({ version: TROUPE_VERSION, host: flags.host, pipes: server.pipes.map(({ path }) => path) }, 'serving');
      onServing();
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
  }
}

function address(flag: string, text: string): ReturnType<typeof parseListenAddress> {
  try {
    return parseListenAddress(text);
  } catch (error) {
    const rule = error instanceof Error ? error.message : String(error);
    throw new TerminalError(`--${flag} must be ${rule}; got '${text}'`, { cause: error });
  }
}

function logDestination({ files, standardErrorFrom }: LogFlags, clock: Clock): NodeJS.WritableStream | LogFiles {
  const standardError = process.stderr;
  if (files === undefined && standardErrorFrom === Severity.Info) return standardError;
  return new LogFiles({ files, program: 'csi-proxy', standardErrorFrom, standardError, clock });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
