// Arguments and options of the commands of `troupe model`.
import type { Options, Usage } from '../command-line.ts';

const WATCH = { type: 'boolean', help: 'does it again after every change, until Ctrl-C' } as const;

/** Options of the generators. */
const GENERATOR = {
  output: { type: 'string', short: 'o', value: 'FOLDER', help: 'where to; not inside the model' },
  watch: WATCH,
  check: { type: 'boolean', help: 'writes nothing, and exits with 1 when something is not up to date' },
} as const satisfies Options;

export const USAGES = {
  check: {
    name: 'model check',
    forms: ['<dir>...'],
    about: 'says what is wrong with a model, and where; in JSON or SARIF on standard output, for programs',
    options: {
      watch: WATCH,
      output: {
        type: 'string',
        short: 'o',
        value: 'text|json|sarif',
        default: 'text',
        help: 'format of complaints',
      },
      'warnings-as-errors': { type: 'boolean', help: 'exits with 1 for warnings, too' },
    },
    examples: ['model check models', 'model check models -o sarif --warnings-as-errors'],
  },
  fmt: {
    name: 'model fmt',
    forms: ['<dir or file>...'],
    about: "formats model files, and names those that change; '-' is standard input",
    options: {
      check: { type: 'boolean', help: 'only names those that need it, and exits with 1 if some do' },
      diff: { type: 'boolean', help: 'only shows how, and exits with 1 if something would change' },
    },
    examples: ['model fmt models', 'model fmt --diff models', 'model fmt - < book.model'],
  },
  openapi: {
    name: 'model openapi',
    forms: ['<dir>...'],
    about: 'writes <out>/<service>/<version>/openapi.json; options say more than the published documents do',
    options: {
      ...GENERATOR,
      'operation-ids': {
        type: 'boolean',
        help: 'every operation has an operationId: the way to the resource and the method',
      },
      required: {
        type: 'boolean',
        help: "bodies that are one value, the members of a list's answer, and those that every error has",
      },
      'read-only': { type: 'boolean', help: 'kind and href, which servers ignore in requests' },
      'method-get': { type: 'boolean', help: 'lists by POST with ?method=get, too' },
      hints: { type: 'boolean', help: 'defaults of parameters, and least values' },
      'close-links': { type: 'boolean', help: 'schemas for link targets that are in another service' },
    },
    examples: ['model openapi models --output api', 'model openapi models -o api --check'],
  },
  types: {
    name: 'model types',
    forms: ['<dir>...'],
    about: 'writes TypeScript types and a typed client to <out>/<service>/<version>.ts',
    options: GENERATOR,
    examples: ['model types models --output src/api'],
  },
  docs: {
    name: 'model docs',
    forms: ['<dir>...'],
    about:
      'writes pages about all services, in Markdown and HTML; begin with <out>/index.md, or <out>/index.html to search',
    options: GENERATOR,
    examples: ['model docs models --output site --watch'],
  },
  crds: {
    name: 'model crds',
    forms: ['<dir>...'],
    about:
      'prints a CustomResourceDefinition for every class that the bindings name, or for all classes without any; with --output into <out>/<group>_<plural>.yaml',
    options: {
      ...GENERATOR,
      bindings: {
        type: 'string',
        value: 'FILE',
        fallback: 'bindings.yaml in the first <dir>',
        help: 'which classes become kinds, and which attributes become the status',
      },
    },
    examples: ['model crds models', 'model crds models --output crds --check'],
  },
  lsp: {
    name: 'model lsp',
    forms: ['[<dir>...]'],
    about: 'serves an editor over standard input and output; without <dir>, the models in its folders',
    options: {
      stdio: { type: 'boolean', help: 'as it is anyway: editors add this without being asked' },
      clientProcessId: { type: 'string', value: 'N', help: 'the same' },
    },
    examples: ['model lsp', 'model lsp models'],
  },
  diff: {
    name: 'model diff',
    forms: ['<old dir> <new dir>'],
    about: 'lists the changes that break clients, by rule, and where; exits with 1 if there are some',
    options: {
      output: { type: 'string', short: 'o', value: 'text|json', default: 'text', help: 'json is for programs' },
    },
    examples: ['model diff released/models models', 'model diff released/models models -o json'],
  },
  serve: {
    name: 'model serve',
    forms: ['<dir>...'],
    about:
      'serves a model as an HTTP API, with its objects in memory: lists, searches, objects and links as the cluster manager has them',
    options: {
      'bind-address': {
        type: 'string',
        value: 'HOST:PORT',
        default: '127.0.0.1:8000',
        help: 'where it listens; port 0 is any that is free',
      },
      auth: {
        type: 'string',
        value: 'none|token|jwks',
        default: 'none',
        help: 'who is answered: all of this machine, who has the token of --token-file, or who has one that a key of --jwks verifies',
      },
      'token-file': { type: 'string', value: 'FILE', help: "has a token, such as 'troupe model token' prints" },
      jwks: { type: 'string', value: 'FILE|URL', help: 'a JSON Web Key Set; read again for a key that is not known' },
      issuer: {
        type: 'string',
        value: 'TEXT',
        help: 'the issuer of tokens with --auth jwks; without it every token that a key signed is accepted',
      },
      audience: {
        type: 'string',
        value: 'TEXT',
        help: 'the audience of tokens with --auth jwks; without it tokens for other services are accepted',
      },
      'access-tokens': {
        type: 'string',
        value: 'FILE',
        help: 'tokens of pull secrets, a line <cluster>:<token> for each, which are accepted as well',
      },
      'tls-cert': { type: 'string', value: 'FILE', help: 'certificates in PEM: it listens for HTTPS' },
      'tls-key': { type: 'string', value: 'FILE', help: 'their key in PEM' },
      rate: { type: 'string', value: 'N', help: 'requests a second of each caller; more are answered with 429' },
      objects: {
        type: 'string',
        value: 'FILE',
        help: 'what there is at first: a JSON object with a list for each path',
      },
      'metrics-bind-address': { type: 'string', value: 'HOST:PORT', help: 'where /metrics is' },
      watch: { type: 'boolean', help: 'serves each edit of the model, and says what it means for clients' },
    },
    examples: [
      'model serve models',
      'model serve models --watch --objects objects.json',
      'model serve models --bind-address :8443 --auth token --token-file token --tls-cert tls.crt --tls-key tls.key',
    ],
  },
  routes: {
    name: 'model routes',
    forms: ['<dir>...'],
    about: "lists what 'model serve' answers: method, path, the model's method, and what serves it",
    options: {
      output: { type: 'string', short: 'o', value: 'text|json', default: 'text', help: 'json is for programs' },
    },
    examples: ['model routes models'],
  },
  token: {
    name: 'model token',
    forms: [''],
    about: "prints a token for 'model serve --auth token' that the ocm client accepts, too",
    options: {
      name: { type: 'string', value: 'NAME', default: 'troupe', help: 'who it is for, as clients show it' },
      hours: { type: 'string', value: 'N', default: '0', help: 'until clients take it for expired; 0 is never' },
    },
    examples: ['model token > token', 'model token --name ada --hours 8'],
  },
} as const satisfies Readonly<Record<string, Usage>>;
export type CommandName = keyof typeof USAGES;

export const NOTES = `With --check a generator writes nothing and exits with 1 if a file is not up to date. Files that it wrote before for
the same model, and no longer generates, are removed: <out>/.troupe-model-<command>.json lists them.
`;
