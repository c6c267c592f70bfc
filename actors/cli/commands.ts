// The commands of `troupe`, their options, and what they do.
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import { TerminalError, TroupeError, toErrorData } from '../../bus/errors.ts';
import { leaveWithReader, stopSignal } from '../process/process.ts';
import { TROUPE_VERSION } from '../process/version.ts';

/** Commands with options of their own, which are loaded, as all are, only when they are asked for. */
const TOOLS: Readonly<Record<string, () => Promise<Tool>>> = {
  'csi-proxy': () => import('./csi-proxy/csi-proxy.ts'),
  model: () => import('./model/model.ts'),
};

interface Tool {
  /** @returns the exit code */
  main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number>;
}

const USAGE = `troupe ${TROUPE_VERSION}: Kubernetes objects as actors

  troupe run                        the roles of a pod, against KUBECONFIG (or in a cluster) and NATS_URL
  troupe dev                        the same; what is not given is started on loopback
  troupe demo [--keep]              a landscape of networks comes up and goes again; --keep leaves it up
  troupe crds [<Kind>...] [--apply] prints the CustomResourceDefinitions, or applies them
  troupe why <kind>/<name> [-n NAMESPACE] [-o json]
                                    the chain of what an object waits for, down to the root cause; ends with 0 if it
                                    waits for nothing, 1 if it does, 2 if that cannot be told
  troupe scaffold openstack <Kind>  writes the file of a new kind and its test
  troupe csi-proxy <command>        API groups for Windows nodes; 'troupe csi-proxy help' lists the commands
  troupe model <command>            the cluster manager's model language; 'troupe model help' lists its commands

Options, each with its variable:
  --kubeconfig FILE                 KUBECONFIG
  --nats-url URL                    NATS_URL; NATS_CREDS, NATS_NKEY, NATS_CA, NATS_CERT and NATS_KEY name files;
                                    TROUPE_NATS_PREFIX tells deployments on one server apart
  --event-max-age DURATION          TROUPE_EVENT_MAX_AGE, 24h: how long 'troupe.event.>' is kept, a Go duration or
                                    milliseconds; 0 is not at all
  --event-max-bytes N               TROUPE_EVENT_MAX_BYTES, 268435456: how much of it at most; 0 is none
  --roles watch,actors,openstack    TROUPE_ROLES; all unless told
  --lease-ms N                      TROUPE_LEASE_MS, 15000: after that long the objects of a dead pod go on elsewhere
  --call-ms N                       TROUPE_CALL_MS, 10000: longest call to a cloud, within 0.7 of a lease
  --calls-in-flight N               TROUPE_CALLS_IN_FLIGHT, 16: calls to one cloud at a time
  --shards N                        TROUPE_SHARDS, 64: the same for all pods, for ever
  --namespace NAME                  TROUPE_NAMESPACES, with commas between: only objects of these; may be repeated
  --kinds Network,Subnet            TROUPE_KINDS: only objects of these kinds; they are taken over from ORC even while it leads
  --default-resync-period DURATION  TROUPE_DEFAULT_RESYNC_PERIOD, 0s: a Go duration; 0s is never
  --default-ca-certs FILE           TROUPE_DEFAULT_CA_CERTS: the CA of clouds whose secret has none; HTTP_PROXY,
                                    HTTPS_PROXY and NO_PROXY are for the clouds too
  --health-probe-bind-address ADDR  TROUPE_HEALTH_PROBE_BIND_ADDRESS, 0: where /healthz and /readyz are, such as :8081
  --metrics-bind-address ADDR       TROUPE_METRICS_BIND_ADDRESS, 0: where /metrics is, such as :8443
  --metrics-secure=false            TROUPE_METRICS_SECURE, true: TLS, and only for whom the cluster allows it
  --events=false                    TROUPE_EVENTS, true: Kubernetes Events for what happens to objects
  --log-level LEVEL                 TROUPE_LOG_LEVEL, info: trace, debug, info, warn, error, silent
  --data FOLDER                     where dev and demo keep what they start; .troupe unless told; the objects of dev's
                                    API server, and its kubeconfig, are there again at the next start
`;

const OPTIONS = {
  kubeconfig: { type: 'string' },
  'nats-url': { type: 'string' },
  roles: { type: 'string' },
  namespace: { type: 'string', multiple: true, short: 'n' },
  output: { type: 'string', short: 'o' },
  kinds: { type: 'string' },
  'health-probe-bind-address': { type: 'string' },
  'metrics-bind-address': { type: 'string' },
  'metrics-secure': { type: 'string' },
  'lease-ms': { type: 'string' },
  'call-ms': { type: 'string' },
  'calls-in-flight': { type: 'string' },
  shards: { type: 'string' },
  'event-max-age': { type: 'string' },
  'event-max-bytes': { type: 'string' },
  'default-resync-period': { type: 'string' },
  'default-ca-certs': { type: 'string' },
  events: { type: 'string' },
  'log-level': { type: 'string' },
  'pod-name': { type: 'string' },
  data: { type: 'string' },
  keep: { type: 'boolean' },
  apply: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** Runs a command and returns the exit code: 0, 1 for a failure, 2 for a call that makes no sense, 130 for a demo cut short. */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [first = '', ...others] = args;
  const tool = Object.hasOwn(TOOLS, first) ? TOOLS[first] : undefined;
  if (tool !== undefined) return (await tool()).main(others, env);
  let parsed: ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true; args: string[] }>>;
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = positionals;
  if (values.version === true) return print(`${TROUPE_VERSION}\n`);
  if (values.help === true || command === 'help') return print(USAGE);
  const {
    keep = false,
    apply = false,
    help: _help,
    version: _version,
    data = '.troupe',
    namespace,
    output,
    ...options
  } = values;
  let log: Logger | undefined;
  try {
    const [{ readConfig }, { systemClock }, { openLog }] = await Promise.all([
      import('../process/config.ts'),
      import('../clock.ts'),
      import('../telling/log.ts'),
    ]);
    const config = readConfig(env, { ...options, namespace: namespace?.join() });
    const clock = systemClock();
    log = openLog({ level: config.logLevel, readable: process.stderr.isTTY });
    const [extra] = rest;
    if (extra !== undefined && ['run', 'dev', 'demo'].includes(command ?? '')) {
      return usage(`'${command}' goes without '${extra}'`);
    }
    switch (command) {
      case 'run': {
        const { run } = await import('../process/run.ts');
        return await run({ config, clock, log, signal: stopSignal() });
      }
      case 'dev': {
        const { dev } = await import('./dev.ts');
        return await dev({
          config,
          clock,
          log,
          signal: stopSignal(),
          folder: data,
          cloudsFile: env['OS_CLIENT_CONFIG_FILE'],
        });
      }
      case 'demo': {
        const { demo } = await import('./demo/demo.ts');
        return await demo({
          config,
          clock,
          signal: stopSignal(),
          folder: data,
          keep,
          cloudsFile: env['OS_CLIENT_CONFIG_FILE'],
          cloudName: env['OS_CLOUD'],
          out: process.stdout,
          terminal: process.stdout.isTTY && env['TERM'] !== 'dumb',
        });
      }
      case 'crds': {
        const { applyCrds, printCrds } = await import('./crds.ts');
        process.stdout.on('error', leaveWithReader);
        return await (apply ? applyCrds : printCrds)({ config, clock, names: rest, out: process.stdout });
      }
      case 'why': {
        const [{ why }, { Ink }] = await Promise.all([import('./why/why.ts'), import('./demo/view.ts')]);
        process.stdout.on('error', leaveWithReader);
        if ((namespace?.length ?? 0) > 1) return usage("'why' looks into one namespace");
        return await why({
          config,
          clock,
          names: rest,
          namespace: namespace?.[0],
          output,
          home: env['HOME'],
          out: process.stdout,
          ink: process.stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? Ink.Colour : Ink.Plain,
        });
      }
      case 'scaffold': {
        const [{ scaffold }, { readFile, writeFile }] = await Promise.all([
          import('./scaffold.ts'),
          import('node:fs/promises'),
        ]);
        return await scaffold(rest, { readFile, writeFile, out: process.stdout });
      }
      case undefined:
        return usage('a command is missing');
      default:
        return usage(`there is no command '${command}'`);
    }
  } catch (error) {
    // What is expected to go wrong is one line; anything else is a defect, and its stack tells where.
    if (error instanceof TroupeError) process.stderr.write(`troupe: ${error.message}\n`);
    else if (log !== undefined) log.fatal({ err: error }, 'a defect ended the process');
    else process.stderr.write(`troupe: ${toErrorData(error).message}\n`);
    // For `why` 1 is an answer.
    return error instanceof TerminalError || command === 'why' ? 2 : 1;
  }
}

function usage(problem: string): number {
  process.stderr.write(`troupe: ${problem}; 'troupe help' lists the commands\n`);
  return 2;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
