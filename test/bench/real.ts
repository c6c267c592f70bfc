// Real: chains on the kube-apiserver of KUBECONFIG and the cloud of OS_CLIENT_CONFIG_FILE (entry OS_CLOUD), next to what
// that Neutron does when clients ask it directly: TROUPE_BENCH_BURST names a command that makes so many networks with a
// subnet each and deletes them again, and says how long that took: the making in all, a deletion in the median. Besides,
// the very requests of the chains are made directly, by as many clients, and nothing but them.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { systemClock } from '../../actors/base/clock.ts';
import { burst, type ChainOptions, warmUp } from './chain.ts';
import { direct } from './direct.ts';
import type { Report } from './figures.ts';
import { Stage } from './stage.ts';

/** At a time: the default of the actors too. */
export const CLIENTS = 16;
const MADE = /^\d+ networks \+ \d+ subnets, \d+ clients: ([\d.]+) s/;
const DELETED = /^delete network +n=\d+ +p50 +([\d.]+) ms/;
const FAILED = /^errors: ([1-9]\d*)/;

export async function real(options: ChainOptions): Promise<Report> {
  const { count, onProgress } = options;
  const { KUBECONFIG: kubeconfig, OS_CLIENT_CONFIG_FILE: cloudsFile, TROUPE_BENCH_BURST: command } = process.env;
  if (kubeconfig === undefined || cloudsFile === undefined) {
    throw new Error('KUBECONFIG and OS_CLIENT_CONFIG_FILE must name a kubeconfig and a clouds.yaml that may be used');
  }
  const notes: string[] = [];
  let alone: Alone | undefined;
  if (command === undefined) notes.push('TROUPE_BENCH_BURST is not set, so there is nothing to compare with');
  else {
    onProgress('Neutron alone');
    alone = await measureAlone(command, count);
  }
  onProgress('the requests of the chains, directly');
  const directly = await direct({ clock: systemClock(), cloudsFile, count, clients: CLIENTS });
  const stage = await Stage.open({ ...options, real: { kubeconfig, cloudsFile } });
  try {
    await warmUp(stage, options);
    const { figures, profile } = await burst(stage, options);
    const compared = {
      ...(alone && ratios('alone', figures, 3 * count * alone.createMs, 3 * count * alone.deleteMs)),
      ...ratios('direct', figures, directly.upMs, directly.downMs),
    };
    return { profile, notes, figures: { ...compared, ...figures } };
  } finally {
    await stage.close();
  }
}

interface Alone {
  /** To make one resource, and to delete one, on average, in milliseconds. */
  readonly createMs: number;
  readonly deleteMs: number;
}

/** Runs `<command> <count> <clients>`. */
async function measureAlone(command: string, count: number): Promise<Alone> {
  const child = spawn('/bin/sh', ['-c', `${command} ${count} ${CLIENTS}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let createMs = Number.NaN;
  let deleteMs = Number.NaN;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, seconds] = MADE.exec(line) ?? [];
    if (seconds !== undefined) createMs = (Number(seconds) * 1_000) / (2 * count);
    const [, medianMs] = DELETED.exec(line) ?? [];
    // One request deletes a network and its subnet: two resources.
    if (medianMs !== undefined) deleteMs = Number(medianMs) / (2 * CLIENTS);
    if (FAILED.test(line)) throw new Error(`Neutron alone: ${line}`);
  }
  const code = await ended;
  if (code !== 0 || Number.isNaN(createMs) || Number.isNaN(deleteMs))
    throw new Error(`'${command}' ended with code ${code} and did not say how long it took`);
  return { createMs, deleteMs };
}

function ratios(
  to: 'alone' | 'direct',
  figures: Readonly<Record<string, number>>,
  upMs: number,
  downMs: number,
): Readonly<Record<string, number>> {
  const ratio = to === 'alone' ? 'ratio' : 'directRatio';
  return {
    [`up.${to}Ms`]: upMs,
    [`up.${ratio}`]: (figures['up.ms'] ?? Number.NaN) / upMs,
    [`down.${to}Ms`]: downMs,
    [`down.${ratio}`]: (figures['down.ms'] ?? Number.NaN) / downMs,
  };
}
