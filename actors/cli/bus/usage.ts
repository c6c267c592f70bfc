// Arguments and options of the commands of `troupe bus`.
import type { Usage } from '../command-line.ts';

export const USAGES = {
  credentials: {
    name: 'bus credentials',
    forms: ['--folder FOLDER', '--secrets'],
    about:
      "makes what Troupe's processes and their NATS server show each other: for each user an NKey and the authority to trust, for the server its certificate and the permissions to publish and subscribe. Existing files stay as they are; a second run changes nothing",
    options: {
      folder: {
        type: 'string',
        value: 'FOLDER',
        help: 'writes <user>/nkey, <user>/ca.crt and server/{users.conf,tls.crt,tls.key} there',
      },
      secrets: {
        type: 'boolean',
        default: false,
        help: 'writes Secrets troupe-bus-<user> and troupe-bus-server, with the same names in them, to the cluster',
      },
      kubeconfig: {
        type: 'string',
        value: 'FILE',
        variable: 'KUBECONFIG',
        help: 'the cluster, unless this is a pod of it',
      },
      namespace: {
        type: 'string',
        short: 'n',
        value: 'NAME',
        fallback: "that of KUBECONFIG's context, or of the pod",
        help: 'of the Secrets',
      },
      host: {
        type: 'string',
        multiple: true,
        value: 'NAME',
        fallback: 'with --secrets troupe-nats, and its longer names',
        help: 'that the server is reached at, beside localhost; may be repeated',
      },
      adapters: {
        type: 'string',
        multiple: true,
        value: 'FILE_OR_PACKAGE',
        variable: 'TROUPE_ADAPTERS',
        help: "the same as for 'troupe run'",
      },
      user: {
        type: 'string',
        multiple: true,
        value: 'ROLES',
        help: "one more user, for pods with these --roles: 'watch,actors', or, for an adapter that is served for a node, 'ROLE@NODE'; may be repeated",
      },
      rotate: {
        type: 'boolean',
        default: false,
        help: 'begins to replace all keys and certificates. Each later run takes the next step when the grace is over: the server learns what is new; then it is used; then what is old is refused',
      },
      'rotate-after': {
        type: 'string',
        value: 'DURATION',
        help: 'age at which it begins automatically, such as 2160h',
      },
      grace: {
        type: 'string',
        value: 'DURATION',
        default: '10m',
        help: 'how long what is written takes to reach pods and server, at most',
      },
    },
    notes: `There are users for all roles in one process (alone), for each role, and one who listens to what happens (observer).
TROUPE_NATS_PREFIX is the same as for 'troupe run'. nats-server reads users.conf by 'include', and again by SIGHUP.
`,
    examples: [
      'bus credentials --folder keys --host nats.example',
      'bus credentials --secrets -n troupe-system --rotate',
    ],
  },
} as const satisfies Readonly<Record<string, Usage>>;

export type CommandName = keyof typeof USAGES;
