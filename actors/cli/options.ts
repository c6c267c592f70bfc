// Options that several commands of `troupe` take.
import type { Option, Options } from './command-line.ts';

export const KUBECONFIG = { type: 'string', value: 'FILE', variable: 'KUBECONFIG', help: 'the cluster' } as const;

/** Options of all commands of this table. */
export const COMMON = {
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

export const RUN = {
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
    help: 'number of shards; equal for all pods, and fixed by the first',
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
    help: 'only objects of these kinds; each waits while ORC or the baremetal-operator still holds the lease of its kind',
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
export const WEBHOOK = {
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

export const DATA = {
  data: {
    type: 'string',
    value: 'FOLDER',
    default: '.troupe',
    help: "where dev and demo keep what they start; the objects of dev's API server, and its kubeconfig, are there again at the next start",
  },
} as const satisfies Options;

export const CONTEXT = {
  type: 'string',
  value: 'NAME',
  fallback: 'the current one',
  help: 'of the kubeconfig',
} as const satisfies Option;

export const EVERYWHERE = {
  'all-namespaces': { type: 'boolean', short: 'A', help: 'of all namespaces, and what is in none' },
} as const satisfies Options;

/** Options of commands that read the objects of a namespace. */
export const PLACE = {
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

export const WATCH = {
  type: 'boolean',
  short: 'w',
  help: 'keep printing until Ctrl-C: redrawn on a terminal, in lines elsewhere',
} as const satisfies Option;

/** Options of commands that read the bus. */
export const BUS_READER_OPTIONS = {
  'nats-url': { ...RUN['nats-url'], fallback: "that of 'troupe dev' in this folder" },
  data: { ...DATA.data, help: "of 'troupe dev', whose bus is read where none is named" },
} as const satisfies Options;

export const TEXT_OR_JSON = {
  type: 'string',
  short: 'o',
  value: 'text|json',
  default: 'text',
  help: 'json is for programs',
} as const satisfies Option;
