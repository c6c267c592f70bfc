// What `troupe help` says, and the options that its commands share.
import type { Adapter, Flag } from '../../adapters/adapter.ts';
import { TerminalError } from '../../bus/errors.ts';
import { rolesWith } from '../process/config.ts';
import { TROUPE_VERSION } from '../process/version.ts';

export const OPTIONS = {
  kubeconfig: { type: 'string' },
  'nats-url': { type: 'string' },
  adapters: { type: 'string', multiple: true },
  roles: { type: 'string' },
  namespace: { type: 'string', multiple: true, short: 'n' },
  output: { type: 'string', short: 'o' },
  kinds: { type: 'string' },
  'health-probe-bind-address': { type: 'string' },
  'metrics-bind-address': { type: 'string' },
  'metrics-secure': { type: 'string' },
  'metrics-audience': { type: 'string' },
  'lease-ms': { type: 'string' },
  'call-ms': { type: 'string' },
  'event-max-age': { type: 'string' },
  'event-max-bytes': { type: 'string' },
  shards: { type: 'string' },
  events: { type: 'string' },
  'log-level': { type: 'string' },
  'pod-name': { type: 'string' },
  'node-name': { type: 'string' },
  data: { type: 'string' },
  keep: { type: 'boolean' },
  apply: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** @throws {TerminalError} an adapter has a flag that is taken */
export function optionsWith(adapters: readonly Pick<Adapter, 'realm' | 'flags'>[]): typeof OPTIONS {
  const options: Record<string, { readonly type: 'string' | 'boolean' }> = { ...OPTIONS };
  for (const { realm, flags = [] } of adapters) {
    for (const { name } of flags) {
      if (Object.hasOwn(options, name))
        throw new TerminalError(`adapter '${realm}' has a flag that is taken: '${name}'`);
      options[name] = { type: 'string' };
    }
  }
  return options as unknown as typeof OPTIONS;
}

/** Where the explanations begin, in characters. */
const COLUMN = 36;

/** The text of `troupe help`. */
export function usageText(adapters: readonly Pick<Adapter, 'realm' | 'role' | 'flags' | 'scaffold'>[]): string {
  const scaffolds = adapters
    .filter(({ scaffold }) => scaffold !== undefined)
    .map(({ realm }) => line(`troupe scaffold ${realm} <Kind>`, 'writes the file of a new kind and its test'));
  return `troupe ${TROUPE_VERSION}: Kubernetes objects as actors

  troupe run                        the roles of a pod, against KUBECONFIG (or in a cluster) and NATS_URL
  troupe dev                        the same; what is not given is started on loopback
  troupe demo [--keep]              a landscape of networks comes up and goes again; --keep leaves it up
  troupe crds [<Kind>...] [--apply] prints the CustomResourceDefinitions, or applies them
  troupe why [<kind>/<name>] [-n NAMESPACE] [-o json]
                                    the chain of what an object waits for, down to the root cause, or the root causes
                                    of a whole namespace; ends with 0 if nothing waits, 1 if something does, 2 if that
                                    cannot be told
${scaffolds.join('')}\
  troupe csi-proxy <command>        API groups for Windows nodes; 'troupe csi-proxy help' lists the commands
  troupe model <command>            the cluster manager's model language; 'troupe model help' lists its commands

Options, each with its variable:
  --kubeconfig FILE                 KUBECONFIG
  --nats-url URL                    NATS_URL; NATS_CREDS, NATS_NKEY, NATS_CA, NATS_CERT and NATS_KEY name files;
                                    TROUPE_NATS_PREFIX tells deployments on one server apart
  --event-max-age DURATION          TROUPE_EVENT_MAX_AGE, 24h: how long 'troupe.event.>' is kept, a Go duration or
                                    milliseconds; 0 is not at all
  --event-max-bytes N               TROUPE_EVENT_MAX_BYTES, 268435456: how much of it at most; 0 is none
  --adapters FILE_OR_PACKAGE        TROUPE_ADAPTERS: more adapters, with commas between; their kinds, roles and options
                                    are then part of all commands and of this text
${line(`--roles ${rolesWith(adapters).join()}`, 'TROUPE_ROLES; all unless told')}\
  --node-name NAME                  NODE_NAME: where the process runs, for adapters that are served for a node
  --lease-ms N                      TROUPE_LEASE_MS, 15000: after that long the objects of a dead pod go on elsewhere
  --call-ms N                       TROUPE_CALL_MS, 10000: longest call to a cloud, within 0.7 of a lease
  --shards N                        TROUPE_SHARDS, 64: the same for all pods, for ever
  --namespace NAME                  TROUPE_NAMESPACES, with commas between: only objects of these; may be repeated
  --kinds Network,Subnet            TROUPE_KINDS: only objects of these kinds; they are taken over from ORC even while it leads
${adapters.flatMap(({ flags = [] }) => flags.map(flagText)).join('')}\
  --health-probe-bind-address ADDR  TROUPE_HEALTH_PROBE_BIND_ADDRESS, 0: where /healthz and /readyz are, such as :8081
  --metrics-bind-address ADDR       TROUPE_METRICS_BIND_ADDRESS, 0: where /metrics is, such as :8443
  --metrics-secure=false            TROUPE_METRICS_SECURE, true: TLS, and only for whom the cluster allows it
  --metrics-audience NAME           TROUPE_METRICS_AUDIENCE, the API server's: whom tokens of readers are made for
  --events=false                    TROUPE_EVENTS, true: Kubernetes Events for what happens to objects
  --log-level LEVEL                 TROUPE_LOG_LEVEL, info: trace, debug, info, warn, error, silent
  --data FOLDER                     where dev and demo keep what they start; .troupe unless told; the objects of dev's
                                    API server, and its kubeconfig, are there again at the next start
`;
}

function flagText({ name, variable, value, fallback, help }: Flag): string {
  const [first = '', ...more] = help.split('\n');
  const explained = `${variable}${fallback === undefined ? '' : `, ${fallback}`}: ${first}`;
  return [line(`--${name} ${value}`, explained), ...more.map((text) => `${' '.repeat(COLUMN)}${text}\n`)].join('');
}

/** What is too long for the column has a line of its own. */
function line(what: string, explanation: string): string {
  const begun = `  ${what}`;
  const gap = begun.length < COLUMN ? ' '.repeat(COLUMN - begun.length) : `\n${' '.repeat(COLUMN)}`;
  return `${begun}${gap}${explanation}\n`;
}
