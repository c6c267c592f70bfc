// The commands of `troupe`, the options of each, and what `troupe help` says.
import type { Adapter, Flag } from '../../adapters/api/adapter.ts';
import { TerminalError } from '../../bus/errors.ts';
import { knownRoles, rolesOfNodes } from '../base/config.ts';
import { TROUPE_VERSION } from '../base/version.ts';
import { Standing } from '../diagnosis/findings.ts';
import { commandLines, type Option, type Options, optionLines, type Program, type Usage } from './command-line.ts';
import { GATEWAY_OPTIONS } from './model/gateway-options.ts';

const KUBECONFIG = { type: 'string', value: 'FILE', variable: 'KUBECONFIG', help: 'the cluster' } as const;

/** Options of all commands of this table. */
const COMMON = {
  adapters: {
    type: 'string',
    multiple: true,
    value: 'FILE_OR_PACKAGE',
    variable: 'TROUPE_ADAPTERS',
    help: 'more adapters, comma-separated: their kinds, roles and options become part of all commands and of this text',
  },
  'only-adapters': {
    type: 'boolean',
    variable: 'TROUPE_ONLY_ADAPTERS',
    help: 'those that come with Troupe are left out: their kinds, roles and rights',
  },
  models: {
    type: 'string',
    multiple: true,
    value: 'DIR',
    variable: 'TROUPE_MODELS',
    help: "directories of models of the cluster manager's language, comma-separated; their classes are served as kinds",
  },
  'model-bindings': {
    type: 'string',
    value: 'FILE',
    variable: 'TROUPE_MODEL_BINDINGS',
    fallback: 'bindings.yaml in the first DIR',
    help: 'which classes become kinds, and which attributes become the status',
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    variable: 'TROUPE_LOG_LEVEL',
    fallback: 'info',
    help: 'trace, debug, info, warn, error or silent',
  },
} as const satisfies Options;

const RUN = {
  kubeconfig: KUBECONFIG,
  'nats-url': {
    type: 'string',
    value: 'URL',
    variable: 'NATS_URL',
    help: 'the bus; NATS_CREDS, NATS_NKEY, NATS_CA, NATS_CERT and NATS_KEY name files, NATS_SERVER_NAME whom the certificate is for; TROUPE_NATS_PREFIX tells deployments on one server apart',
  },
  'event-max-age': {
    type: 'string',
    value: 'DURATION',
    variable: 'TROUPE_EVENT_MAX_AGE',
    fallback: '24h',
    help: "how long 'troupe.event.>' is kept, a Go duration or milliseconds; 0 is not at all",
  },
  'event-max-bytes': {
    type: 'string',
    value: 'N',
    variable: 'TROUPE_EVENT_MAX_BYTES',
    fallback: '268435456',
    help: 'how much of it at most; 0 is none',
  },
  roles: {
    type: 'string',
    value: 'ROLES',
    variable: 'TROUPE_ROLES',
    fallback: 'all; visualizer, webhooks with an address',
    help: 'what this process does',
  },
  'pod-name': {
    type: 'string',
    value: 'NAME',
    variable: 'POD_NAME',
    help: 'what other processes, and Events, call this one',
  },
  'node-name': {
    type: 'string',
    value: 'NAME',
    variable: 'NODE_NAME',
    help: 'where the process runs, for adapters that are served for a node',
  },
  'lease-ms': {
    type: 'string',
    value: 'N',
    variable: 'TROUPE_LEASE_MS',
    fallback: '15000',
    help: 'time after which other pods take over the objects of a dead pod',
  },
  'call-ms': {
    type: 'string',
    value: 'N',
    variable: 'TROUPE_CALL_MS',
    fallback: '10000',
    help: 'longest call to a cloud, within 0.7 of a lease',
  },
  shards: {
    type: 'string',
    value: 'N',
    variable: 'TROUPE_SHARDS',
    fallback: '64',
    help: 'the same for all pods, for ever',
  },
  namespace: {
    type: 'string',
    multiple: true,
    short: 'n',
    value: 'NAME',
    variable: 'TROUPE_NAMESPACES',
    fallback: 'WATCH_NAMESPACE, or all',
    help: 'only objects of these, comma-separated; may be repeated',
  },
  kinds: {
    type: 'string',
    value: 'Network,Subnet',
    variable: 'TROUPE_KINDS',
    help: 'only objects of these kinds; as long as ORC or the baremetal-operator leads those of its own wait',
  },
  'health-probe-bind-address': {
    type: 'string',
    value: 'ADDR',
    variable: 'TROUPE_HEALTH_PROBE_BIND_ADDRESS',
    fallback: '0',
    help: 'where /healthz and /readyz are, such as :8081',
  },
  'metrics-bind-address': {
    type: 'string',
    value: 'ADDR',
    variable: 'TROUPE_METRICS_BIND_ADDRESS',
    fallback: '0',
    help: 'where /metrics is, such as :8443',
  },
  'metrics-secure': {
    type: 'string',
    value: '=false',
    variable: 'TROUPE_METRICS_SECURE',
    fallback: 'true',
    help: 'TLS, and only for whom the cluster allows it',
  },
  'metrics-audience': {
    type: 'string',
    value: 'NAME',
    variable: 'TROUPE_METRICS_AUDIENCE',
    fallback: "the API server's",
    help: 'whom tokens of readers are made for',
  },
  'visualizer-bind-address': {
    type: 'string',
    value: 'ADDR',
    variable: 'TROUPE_VISUALIZER_BIND_ADDRESS',
    fallback: '0, for dev and demo 127.0.0.1:8090 or the next free port',
    help: 'where the page is that shows all objects',
  },
  'visualizer-token-file': {
    type: 'string',
    value: 'FILE',
    variable: 'TROUPE_VISUALIZER_TOKEN_FILE',
    help: 'holds the token that its readers have to show; needed unless the address is of loopback',
  },
  events: {
    type: 'string',
    value: '=false',
    variable: 'TROUPE_EVENTS',
    fallback: 'true',
    help: 'Kubernetes Events for what happens to objects',
  },
} as const satisfies Options;

/** Options of a webhook server. */
const WEBHOOK = {
  'webhook-address': {
    type: 'string',
    value: 'ADDR',
    variable: 'TROUPE_WEBHOOK_ADDRESS',
    fallback: '0',
    help: 'where the API server asks for conversion and admission, over HTTPS, such as :9443',
  },
  'webhook-service': {
    type: 'string',
    value: '[NAMESPACE/]NAME',
    variable: 'TROUPE_WEBHOOK_SERVICE',
    fallback: 'troupe-webhooks',
    help: "the Service by which it gets there, in Troupe's own namespace unless stated; Troupe keeps its certificates in a Secret of that name",
  },
  'webhook-cert': {
    type: 'string',
    value: 'FILE',
    variable: 'TROUPE_WEBHOOK_CERT',
    fallback: 'Troupe makes it',
    help: 'a certificate of yours, read again when it changes; with --webhook-key',
  },
  'webhook-key': { type: 'string', value: 'FILE', variable: 'TROUPE_WEBHOOK_KEY', help: 'of that certificate' },
  'webhook-ca': {
    type: 'string',
    value: 'FILE',
    variable: 'TROUPE_WEBHOOK_CA',
    help: 'authority that the API server must trust; without it, you configure that',
  },
  'webhook-client-ca': {
    type: 'string',
    value: 'FILE',
    variable: 'TROUPE_WEBHOOK_CLIENT_CA',
    help: "authority of the API server's client certificate for admission; without it, every client is answered",
  },
} as const satisfies Options;

const DATA = {
  data: {
    type: 'string',
    value: 'FOLDER',
    default: '.troupe',
    help: "where dev and demo keep what they start; the objects of dev's API server, and its kubeconfig, are there again at the next start",
  },
} as const satisfies Options;

const CONTEXT = {
  type: 'string',
  value: 'NAME',
  fallback: 'the current one',
  help: 'of the kubeconfig',
} as const satisfies Option;

const EVERYWHERE = {
  'all-namespaces': { type: 'boolean', short: 'A', help: 'of all namespaces, and what is in none' },
} as const satisfies Options;

/** Options of commands that read the objects of a namespace. */
const PLACE = {
  namespace: {
    type: 'string',
    multiple: true,
    short: 'n',
    value: 'NAME',
    fallback: "the context's",
    help: 'where the objects are',
  },
  kubeconfig: { ...KUBECONFIG, fallback: '~/.kube/config' },
  context: CONTEXT,
} as const satisfies Options;

const WATCH = {
  type: 'boolean',
  short: 'w',
  help: 'keep printing until Ctrl-C: redrawn on a terminal, in lines elsewhere',
} as const satisfies Option;

/** Options of commands that read the bus. */
const BUS_READER_OPTIONS = {
  'nats-url': { ...RUN['nats-url'], fallback: "that of 'troupe dev' in this folder" },
  data: { ...DATA.data, help: "of 'troupe dev', whose bus is read where none is named" },
} as const satisfies Options;

const TEXT_OR_JSON = {
  type: 'string',
  short: 'o',
  value: 'text|json',
  default: 'text',
  help: 'json is for programs',
} as const satisfies Option;

/** What each form of `scaffold` does. */
const SCAFFOLDED = {
  adapter: 'write a package with an adapter that runs: one kind, its client, a simulator and tests',
  kind: 'write a new kind of an adapter that comes with Troupe; only in a checkout of the sources',
} as const;

export const USAGES = {
  run: {
    name: 'run',
    about: 'the roles of a pod, against KUBECONFIG (or in a cluster) and NATS_URL',
    options: { ...RUN, ...WEBHOOK, ...GATEWAY_OPTIONS, ...COMMON },
    examples: ['run', 'run --roles watch,actors --namespace team-a'],
  },
  dev: {
    name: 'dev',
    about: 'the same; what is not given is started on loopback',
    details:
      'Without KUBECONFIG an API server is started, without NATS_URL a NATS server, without OS_CLIENT_CONFIG_FILE and IRONIC_ENDPOINT simulators. It prints their addresses and stays until Ctrl-C; the next start continues with the data in the directory.',
    own: ['data', 'verbose'],
    options: {
      verbose: { type: 'boolean', short: 'v', help: 'logs each change of an object, a line each' },
      ...DATA,
      ...RUN,
      ...WEBHOOK,
      ...GATEWAY_OPTIONS,
      ...COMMON,
    },
    examples: ['dev', 'dev --verbose', 'dev --data cluster-a'],
  },
  demo: {
    name: 'demo',
    about: 'create and delete the cloud of a small company; --keep does not delete it',
    details:
      'What is missing is started on this machine: a Kubernetes API server, NATS, and simulators of OpenStack, Ironic and a Windows node. The demo applies 135 objects of 36 kinds in any order, shows how each waits for what it needs and comes up, makes an edit, and deletes all. It takes half a minute, changes nothing else, and leaves nothing but a log in the folder of --data.',
    own: ['keep', 'data', 'visualizer-bind-address', 'log-level'],
    options: {
      keep: { type: 'boolean', help: 'the landscape stays up, and so does what was started for it, until Ctrl-C' },
      ...DATA,
      ...RUN,
      ...COMMON,
    },
    examples: ['demo', 'demo --keep'],
  },
  crds: {
    name: 'crds',
    forms: ['[<Kind>...]'],
    about: 'prints the CustomResourceDefinitions, or applies them with --apply',
    options: {
      apply: { type: 'boolean', help: 'gives them to the cluster, and waits until it serves them' },
      kubeconfig: KUBECONFIG,
      context: CONTEXT,
      ...COMMON,
    },
    examples: ['crds', 'crds Network Subnet', 'crds --apply --kubeconfig ~/.kube/config'],
  },
  migrate: {
    name: 'migrate',
    forms: ['<realm>'],
    about:
      'rewrite every object of a group once, unchanged, so that the API server stores it in the version of its definition; continues after an interruption; exit status: 0 done, 1 an object could not be written, 130 interrupted',
    options: {
      'per-second': { type: 'string', value: 'N', default: '50', help: 'how many objects at most' },
      'dry-run': { type: 'boolean', help: 'says what would be written, and tries it with one object of each kind' },
      namespace: {
        type: 'string',
        multiple: true,
        short: 'n',
        value: 'NAME',
        fallback: 'all',
        help: 'only objects of these, comma-separated; may be repeated. The definitions still list the former version',
      },
      kubeconfig: KUBECONFIG,
      context: CONTEXT,
      ...COMMON,
    },
    examples: ['migrate metal3 --dry-run', 'migrate metal3 --per-second 200'],
  },
  convert: {
    name: 'convert',
    forms: ['[<file>...]'],
    about:
      'manifests of Metal3 in another version of their API, without a cluster: YAML or JSON, from files or standard input; comments, and what is of others, stay as they are; exit status: 0 converted, 1 something could not be converted',
    options: {
      to: { type: 'string', value: 'v1alpha1|v1beta1', fallback: 'the latest', help: 'the version' },
      write: {
        type: 'boolean',
        help: 'changes the files, but those with a document that cannot be converted, and tells which',
      },
      ...COMMON,
    },
    examples: ['convert host.yaml', 'convert --to v1alpha1 --write hosts/*.yaml'],
  },
  why: {
    name: 'why',
    forms: ['<kind>/<name>', ''],
    about:
      'explain what an object waits for, down to the root cause, or list the root causes of a namespace or of all (-A); exit status: 0 nothing is waiting, 1 something is waiting, 2 error',
    options: {
      output: { type: 'string', short: 'o', value: 'text|json', default: 'text', help: 'json is for programs' },
      'nats-url': {
        ...RUN['nats-url'],
        fallback: "that of 'troupe dev', where its kubeconfig is used; else none",
        help: `${RUN['nats-url'].help}, to see whether a process hosts what waits`,
      },
      data: DATA.data,
      ...EVERYWHERE,
      ...PLACE,
      ...COMMON,
    },
    examples: ['why network/app', 'why -n shop', 'why -A', 'why Subnet app -n shop -o json'],
  },
  events: {
    name: 'events',
    forms: ['[<kind>/<name>]'],
    about: 'list events of objects, one per line, from the kept history and, with --watch, new ones',
    options: {
      namespace: {
        type: 'string',
        multiple: true,
        short: 'n',
        value: 'NAME',
        fallback: 'all',
        help: 'where the objects are; may be repeated',
      },
      since: { type: 'string', value: 'DURATION', default: '1h', help: 'how far back, a Go duration' },
      type: {
        type: 'string',
        multiple: true,
        value: 'transition|call|deleted|quarantined',
        fallback: 'all',
        help: 'only events of these types, comma-separated; may be repeated',
      },
      watch: { ...WATCH, help: 'continue with new events until Ctrl-C' },
      inspect: {
        type: 'string',
        value: 'PORT',
        help: "as --watch, and serves the same to Stately's inspector, on a WebSocket on loopback; http://localhost:PORT shows it in a browser, which loads that inspector from stately.ai; 0 is any port",
      },
      output: { ...TEXT_OR_JSON, help: 'json is one CloudEvent per line' },
      ...BUS_READER_OPTIONS,
      ...COMMON,
    },
    examples: [
      'events',
      'events subnet/app -n shop --since 10m',
      'events --type call --watch -o json',
      'events -n shop --inspect 8080',
    ],
  },
  trace: {
    name: 'trace',
    forms: ['<kind>/<name>'],
    about:
      'tell the last change of an object: who wrote it, what the object waited for, its calls to the cloud, until it settled; exit status: 0 settled, 1 not settled or failed, 2 error',
    options: {
      namespace: {
        type: 'string',
        multiple: true,
        short: 'n',
        value: 'NAME',
        fallback: "the context's",
        help: 'where the object is',
      },
      generation: { type: 'string', value: 'N', fallback: 'the last one', help: 'which change' },
      otlp: {
        type: 'boolean',
        help: 'sends it as OpenTelemetry spans, by OTLP over HTTP, to OTEL_EXPORTER_OTLP_ENDPOINT (http://localhost:4318), with OTEL_EXPORTER_OTLP_HEADERS; twice makes the same spans',
      },
      output: TEXT_OR_JSON,
      kubeconfig: { ...KUBECONFIG, fallback: '~/.kube/config' },
      context: CONTEXT,
      ...BUS_READER_OPTIONS,
      ...COMMON,
    },
    examples: ['trace subnet/app -n shop', 'trace subnet/app --generation 3 -o json', 'trace server/web --otlp'],
  },
  doctor: {
    name: 'doctor',
    about:
      'check cluster, definitions, permissions, bus, clouds and clocks; changes nothing; exit status: 0 no problem, 1 problems, 2 some checks were not possible',
    options: {
      output: TEXT_OR_JSON,
      namespace: { ...RUN.namespace, help: 'only objects and permissions there, comma-separated; may be repeated' },
      roles: { ...RUN.roles, help: 'whose rights are examined' },
      kubeconfig: { ...KUBECONFIG, fallback: '~/.kube/config' },
      context: CONTEXT,
      ...BUS_READER_OPTIONS,
      ...COMMON,
    },
    examples: ['doctor', 'doctor -n team-a --roles watch,actors', 'doctor -o json'],
  },
  get: {
    name: 'get',
    forms: ['[<kind>[/<name>]]'],
    about:
      'list managed objects, one per line, with state, external id and first reason for waiting; exit status: 1 the named object does not exist, 2 error',
    options: {
      state: {
        type: 'string',
        multiple: true,
        value: Object.values(Standing).join('|'),
        fallback: 'all',
        help: 'only objects in these states, comma-separated; may be repeated',
      },
      ...EVERYWHERE,
      output: {
        type: 'string',
        short: 'o',
        value: 'text|wide|json|yaml|name',
        default: 'text',
        help: 'wide: also since when and why, and nothing is cut; name: as kubectl prints it, such as for xargs',
      },
      ...PLACE,
      ...COMMON,
    },
    examples: [
      'get',
      'get subnet -n shop',
      'get network/app -o yaml',
      'get -A -o wide',
      'get --state failed -o name',
      'get -A --state waiting,failed',
    ],
  },
  tree: {
    name: 'tree',
    forms: ['', '<kind>/<name>'],
    about:
      'print the objects of a namespace as trees, dependents below their dependencies; or the dependencies of one object; exit status: 0 done, 2 error',
    options: {
      ...EVERYWHERE,
      dependents: { type: 'boolean', help: 'for one object: its dependents, and theirs' },
      watch: WATCH,
      output: { type: 'string', short: 'o', value: 'text|json|yaml', default: 'text', help: 'as data, for programs' },
      ...PLACE,
      ...COMMON,
    },
    examples: ['tree', 'tree -A', 'tree subnet/app -n shop', 'tree network/app --dependents', 'tree -n shop --watch'],
  },
  graph: {
    name: 'graph',
    about: 'print the references in a namespace or in all (-A), colored by state, for Graphviz or Mermaid',
    options: {
      ...EVERYWHERE,
      output: { type: 'string', short: 'o', value: 'dot|mermaid|json|yaml', default: 'dot', help: 'the language' },
      ...PLACE,
      ...COMMON,
    },
    examples: ['graph', 'graph -n shop -o mermaid', 'graph -A -o json'],
  },
  retry: {
    name: 'retry',
    forms: ['<kind>/<name>'],
    about:
      "has an object tried again at once, whatever it waits for; takes the right to patch it, and changes its annotation 'troupe/retry' alone",
    options: { ...PLACE, ...COMMON },
    examples: ['retry network/app', 'retry baremetalhost/node-1 -n metal'],
  },
  pause: {
    name: 'pause',
    forms: ['<kind>/<name>'],
    about:
      "has nothing done for a BareMetalHost until 'resume', by its annotation 'baremetalhost.metal3.io/paused'; takes the right to patch it",
    options: { ...PLACE, ...COMMON },
    examples: ['pause baremetalhost/node-1 -n metal'],
  },
  resume: {
    name: 'resume',
    forms: ['<kind>/<name>'],
    about: "ends what 'pause' began; what others paused is theirs to resume",
    options: { ...PLACE, ...COMMON },
    examples: ['resume baremetalhost/node-1 -n metal'],
  },
  top: {
    name: 'top',
    about:
      'print recent activity from the bus: changed objects, calls by service, delays of events, lease holders; exit status: 0 done, 2 error',
    options: {
      since: {
        type: 'string',
        value: 'DURATION',
        default: '5m',
        help: 'how far back, a Go duration such as 90s or 2h',
      },
      watch: WATCH,
      output: {
        type: 'string',
        short: 'o',
        value: 'text|json|yaml',
        default: 'text',
        help: 'with --watch, one document after the other',
      },
      ...BUS_READER_OPTIONS,
      ...COMMON,
    },
    examples: ['top', 'top --since 1h -o json', 'top --watch'],
  },
  completion: {
    name: 'completion',
    forms: ['bash|zsh|fish'],
    about: 'prints a script by which the shell completes commands, options, their values and kinds',
    options: COMMON,
    notes: `Once for all, in the file that the shell reads at its start:
  bash, ~/.bashrc:                     source <(troupe completion bash)
  zsh, ~/.zshrc, below compinit:       source <(troupe completion zsh)
  fish, ~/.config/fish/config.fish:    troupe completion fish | source
kubectl troupe is completed too where kubectl itself is (1.26 or later).`,
    examples: ['completion bash', 'completion fish'],
  },
  ui: {
    name: 'ui',
    forms: ['[<kind>/<name>]'],
    about:
      "opens the page of the running 'troupe dev' in the browser, and prints its address; with an object it begins there",
    options: {
      'no-open': { type: 'boolean', help: 'prints the address alone' },
      namespace: {
        type: 'string',
        multiple: true,
        short: 'n',
        value: 'NAME',
        fallback: "the context's",
        help: 'where the object is',
      },
      kubeconfig: { ...KUBECONFIG, fallback: "dev's own" },
      ...DATA,
      ...COMMON,
    },
    examples: ['ui', 'ui network/app -n shop', 'ui --no-open'],
  },
  machines: {
    name: 'machines',
    forms: ['[<machine>...]'],
    about: 'the statecharts by which objects live: which there are, as JSON that Stately opens, or as Mermaid diagrams',
    options: {
      output: {
        type: 'string',
        short: 'o',
        value: 'text|json|mermaid',
        default: 'text',
        help: 'json of one alone is an object, of several a list',
      },
      ...COMMON,
    },
    examples: ['machines', 'machines externalResource -o json', 'machines deletionGuard -o mermaid'],
  },
  check: {
    name: 'check',
    about:
      'check the contracts of adapters and whether their parts fit together; of --adapters, or of all adapters without it; exit status: 0 all is well, 1 something is wrong',
    options: COMMON,
    examples: ['check --adapters ./src/mod.ts'],
  },
  rbac: {
    name: 'rbac',
    about: 'prints what a process may do in the cluster: no more than its roles and the kinds of its adapters ask for',
    options: {
      namespaced: {
        type: 'boolean',
        help: 'a Role for each namespace that -n names, and what only a ClusterRole grants',
      },
      namespace: { ...RUN.namespace, help: 'namespaces for --namespaced, comma-separated; may be repeated' },
      roles: { ...RUN.roles, help: 'whose rights are printed' },
      'ocm-writes-as': GATEWAY_OPTIONS['ocm-writes-as'],
      ...COMMON,
    },
    examples: [
      'rbac',
      'rbac --adapters ./src/mod.ts --only-adapters',
      'rbac --namespaced -n team-a,team-b --roles watch,actors',
    ],
  },
  version: {
    name: 'version',
    about: 'the version of this program',
    options: COMMON,
    examples: ['version'],
  },
  scaffold: {
    name: 'scaffold',
    forms: ['adapter <name> <Kind>', '<realm> <Kind>'],
    about: `${SCAFFOLDED.adapter}; or ${SCAFFOLDED.kind}`,
    options: COMMON,
    examples: ['scaffold adapter powerdns Zone', 'scaffold openstack AddressGroup'],
  },
} as const satisfies Readonly<Record<string, Usage>>;
export type CommandName = keyof typeof USAGES;

export function isCommand(name: string | undefined): name is CommandName {
  return name !== undefined && Object.hasOwn(USAGES, name);
}

type KnownAdapter = Pick<Adapter, 'realm' | 'role' | 'route' | 'flags' | 'definitionFlags' | 'scaffold'>;

/** Commands that have their adapters configured. */
const CONFIGURED: readonly CommandName[] = [
  'run',
  'dev',
  'demo',
  'why',
  'get',
  'tree',
  'graph',
  'retry',
  'pause',
  'resume',
  'rbac',
  'check',
  'events',
  'trace',
  'doctor',
  'ui',
  'machines',
];

/** Those of them that call no external system: options of adapters only add kinds there. */
const READING: readonly CommandName[] = CONFIGURED.filter((name) => !['run', 'dev', 'demo', 'doctor'].includes(name));

/** Commands with all on this machine: what is done for a node is done for it. */
const DEVELOPING: readonly CommandName[] = ['dev', 'demo'];

/** Commands that take how the cluster is to have the definitions. */
const DEFINING: readonly CommandName[] = ['crds', 'doctor'];

/** Commands that ask, and change nothing: for them 1 is an answer, and an error 2. */
export const QUERY_COMMANDS: readonly CommandName[] = ['why', 'get', 'tree', 'graph', 'top', 'trace', 'doctor'];

/**
 * The usage of a command with what adapters add to it.
 *
 * @throws {TerminalError} an adapter has a flag that is taken
 */
export function usageOf(name: CommandName, adapters: readonly KnownAdapter[]): Usage {
  const { options, ...usage }: Usage = USAGES[name];
  const all: Record<string, Option> = { ...options };
  if (all['roles'] !== undefined) {
    const unasked = DEVELOPING.includes(name) ? [] : rolesOfNodes(adapters);
    const but = unasked.length === 0 ? '' : ` but ${unasked.join()}`;
    const fallback = all['roles'].fallback?.replace('all', `all${but}`);
    all['roles'] = { ...all['roles'], value: knownRoles(adapters).join(), ...(fallback && { fallback }) };
  }
  const flags = flagsOf(adapters);
  if (DEFINING.includes(name)) Object.assign(all, flags.definitions);
  if (CONFIGURED.includes(name)) Object.assign(all, flags.process);
  const unlisted = READING.includes(name) ? Object.keys(flags.process) : [];
  return { ...usage, options: all, unlisted };
}

/** All that some command takes: for finding the command among them. @throws {TerminalError} as `usageOf` */
export function allOptions(adapters: readonly KnownAdapter[]): Options {
  const all = Object.values(USAGES).map(({ options }): Options => options);
  const { options: ofRun } = usageOf('run', adapters);
  const { options: ofDemo } = usageOf('demo', adapters);
  return { ...Object.assign({}, ...all), ...ofDemo, ...ofRun, ...flagsOf(adapters).definitions };
}

/** Flags of all adapters, by purpose. */
interface AdapterFlags {
  readonly process: Options;
  readonly definitions: Options;
}

function flagsOf(adapters: readonly KnownAdapter[]): AdapterFlags {
  const names = ['help', 'version', ...Object.values(USAGES).flatMap(({ options }) => Object.keys(options))];
  const taken = new Map<string, Flag | undefined>(names.map((name) => [name, undefined]));
  const optionsOf = (realm: string, flags: readonly Flag[] = []): Options => {
    for (const flag of flags) {
      const { name } = flag;
      // Several adapters may have one and the same.
      if (taken.has(name) && taken.get(name) !== flag)
        throw new TerminalError(`adapter '${realm}' has a flag that is taken: '${name}'`);
      taken.set(name, flag);
    }
    return Object.fromEntries(flags.map(({ name, ...flag }): [string, Option] => [name, { type: 'string', ...flag }]));
  };
  const each = adapters.map(
    ({ realm, flags, definitionFlags }): AdapterFlags => ({
      process: optionsOf(realm, flags),
      definitions: optionsOf(realm, definitionFlags),
    }),
  );
  return {
    process: Object.assign({}, ...each.map(({ process }) => process)),
    definitions: Object.assign({}, ...each.map(({ definitions }) => definitions)),
  };
}

/** The text of `troupe help`. @throws {TerminalError} as `usageOf` */
export function usageText(adapters: readonly KnownAdapter[], tools: readonly Usage[], program: Program): string {
  const commands = Object.values(USAGES).flatMap((usage: Usage): Usage[] => {
    if (usage.name !== 'scaffold') return [usage];
    const able = adapters.filter(({ scaffold }) => scaffold !== undefined);
    const { forms: [ofAdapter = ''] = [] } = usage;
    return [
      { ...usage, forms: [ofAdapter], about: SCAFFOLDED.adapter },
      ...able.map(({ realm }) => ({ ...usage, forms: [`${realm} <Kind>`], about: SCAFFOLDED.kind })),
    ];
  });
  return `troupe ${TROUPE_VERSION}: Kubernetes objects as actors

${commandLines([...commands, ...tools], program)}
'${program} <command> --help' says which options a command takes, with examples. All of them, each with its variable:
${optionLines(allOptions(adapters))}`;
}
