// Options of the role `ocm`.
import type { Options } from '../command-line.ts';

/** Address of what is not served. */
export const NOWHERE = '0';

export const GATEWAY_OPTIONS = {
  'ocm-bind-address': {
    type: 'string',
    value: 'ADDRESS',
    variable: 'TROUPE_OCM_BIND_ADDRESS',
    fallback: '0, for dev 127.0.0.1:8000 or the next free port',
    help: 'where the models are served over HTTP, by the role ocm; with 0, dev has no small model either',
  },
  'ocm-auth': {
    type: 'string',
    value: 'none|token|jwks',
    variable: 'TROUPE_OCM_AUTH',
    fallback: 'none',
    help: 'who is answered; none is for loopback only',
  },
  'ocm-token-file': {
    type: 'string',
    value: 'FILE',
    variable: 'TROUPE_OCM_TOKEN_FILE',
    help: 'with the token that --ocm-auth token takes',
  },
  'ocm-jwks': {
    type: 'string',
    value: 'FILE_OR_URL',
    variable: 'TROUPE_OCM_JWKS',
    help: 'the keys of --ocm-auth jwks',
  },
  'ocm-issuer': {
    type: 'string',
    value: 'TEXT',
    variable: 'TROUPE_OCM_ISSUER',
    help: 'the issuer of tokens with --ocm-auth jwks; without it every token that a key signed is accepted',
  },
  'ocm-audience': {
    type: 'string',
    value: 'TEXT',
    variable: 'TROUPE_OCM_AUDIENCE',
    help: 'the audience of tokens with --ocm-auth jwks; without it tokens for other services are accepted',
  },
  'ocm-access-tokens': {
    type: 'string',
    value: 'FILE',
    variable: 'TROUPE_OCM_ACCESS_TOKENS',
    help: 'access tokens of clusters that are answered, too',
  },
  'ocm-tls-cert': {
    type: 'string',
    value: 'FILE',
    variable: 'TROUPE_OCM_TLS_CERT',
    help: 'the certificate; without one it is plain HTTP',
  },
  'ocm-tls-key': { type: 'string', value: 'FILE', variable: 'TROUPE_OCM_TLS_KEY', help: 'its key' },
  'ocm-namespace': {
    type: 'string',
    value: 'NAMESPACE',
    variable: 'TROUPE_OCM_NAMESPACE',
    fallback: 'default',
    help: 'where the objects are',
  },
  'ocm-writes-as': {
    type: 'string',
    value: 'caller|self',
    variable: 'TROUPE_OCM_WRITES_AS',
    fallback: 'caller; self with --ocm-auth none',
    help: "whose rights in the cluster count: the caller's, by impersonation, or those of the pod",
  },
} as const satisfies Options;
