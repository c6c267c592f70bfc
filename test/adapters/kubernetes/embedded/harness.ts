// A server of its own for each test, a plain HTTPS client for it, and the kind that the tests are about.

import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { systemClock } from '../../../../actors/clock.ts';
import {
  type ApiServerOptions,
  type EmbeddedApiServer,
  startApiServer,
} from '../../../../adapters/kubernetes/embedded/mod.ts';

export interface Reply {
  readonly code: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The body as JSON; properties may be read as deep as they go. */
  readonly body: Deep;
}

/** JSON that a test reads without narrowing every step: what is not there fails the assertion. */
export interface Deep {
  readonly [key: string]: Deep & string & number & boolean & Deep[];
}

export interface CallOptions {
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: Buffer;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Record<string, string | string[]>;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Deep;
}

export interface Harness {
  readonly server: EmbeddedApiServer;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Follows a watch; `next` fails after a deadline. */
  watch(path: string, accept?: string): Promise<{ next(): Promise<WatchEvent | undefined>; stop(): void }>;
  close(): Promise<void>;
}

export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const APPLY = 'application/apply-patch+yaml';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Longest wait for an event that must come, in milliseconds. */
const DEADLINE_MS = 10_000;

const clock = systemClock({ seed: 7 });

export async function started(options: Omit<ApiServerOptions, 'clock'> = {}): Promise<Harness> {
  const server = await startApiServer({ ...options, clock });
  const agent = new Agent({ ca: server.caCertificate, keepAlive: true });
  const send = (
    method: string,
    path: string,
    { body, raw, type, accept, headers }: CallOptions = {},
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const text = raw ?? (body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
      const outgoing = request(
        `${server.url}${path}`,
        {
          method,
          agent,
          headers: {
            authorization: `Bearer ${server.token}`,
            'user-agent': 'tester/1.0',
            ...(accept === undefined ? {} : { accept }),
            ...(text === undefined
              ? {}
              : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(text) }),
            ...headers,
          },
        },
        resolve,
      );
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  return {
    server,
    async call(method, path, options) {
      const response = await send(method, path, options);
      let text = '';
      for await (const chunk of response) text += String(chunk);
      const isJson = (response.headers['content-type'] ?? '').startsWith('application/json');
      const body = (isJson ? JSON.parse(text) : {}) as Deep;
      return { code: response.statusCode ?? 0, headers: response.headers, text, body };
    },
    async watch(path, accept) {
      const response = await send('GET', path, accept === undefined ? {} : { accept });
      const lines: string[] = [];
      let rest = '';
      let ended = false;
      let wake = (): void => undefined;
      response.on('data', (chunk: Buffer) => {
        const parts = (rest + chunk.toString()).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
        wake();
      });
      const finish = (): void => {
        ended = true;
        wake();
      };
      response.on('end', finish);
      response.on('close', finish);
      response.on('error', finish);
      return {
        async next() {
          if (lines.length === 0 && !ended) {
            await new Promise<void>((resolve, reject) => {
              const timer = clock.setTimeout(() => reject(new Error('no event in time')), DEADLINE_MS);
              wake = () => {
                clock.clearTimeout(timer);
                resolve();
              };
            });
          }
          const line = lines.shift();
          return line === undefined ? undefined : (JSON.parse(line) as WatchEvent);
        },
        stop: () => void response.destroy(),
      };
    },
    async close() {
      agent.destroy();
      await server.close();
    },
  };
}

/** Runs a test with a server, and closes it whatever happens. */
export function withServer(run: (harness: Harness) => Promise<void>): () => Promise<void> {
  return async () => {
    const harness = await started();
    try {
      await run(harness);
    } finally {
      await harness.close();
    }
  };
}

/** Runs a test with a server that serves widgets. */
export function withWidgets(run: (harness: Harness) => Promise<void>): () => Promise<void> {
  return withServer(async (harness) => {
    const { code, text } = await harness.call('POST', DEFINITIONS, { body: WIDGETS });
    if (code !== 201) throw new Error(text);
    await run(harness);
  });
}

/** The list at the end of a path that must lead to one. */
export function listAt(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Error(`no list but ${JSON.stringify(value)}`);
  return value;
}

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const WIDGET_PATH = '/apis/example.org/v1/namespaces/default/widgets';

/** A widget with a valid spec, and more of it. */
export function widget(
  name: string,
  spec: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): Record<string, unknown> {
  return { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name, ...metadata }, spec: { size: 3, ...spec } };
}

const condition = {
  type: 'object',
  required: ['type', 'status'],
  properties: {
    type: { type: 'string' },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    message: { type: 'string' },
  },
};

/** Something of everything that schemas have. */
export const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', shortNames: ['wi'], categories: ['things'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
          { name: 'IPs', type: 'string', jsonPath: '.status.ips[*].ip' },
          { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A widget.',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                description: 'What is wanted.',
                required: ['size'],
                'x-kubernetes-validations': [
                  { rule: 'self.size >= self.min', message: 'size must not be below min' },
                  { rule: "!has(self.name) || self.name != 'bad'" },
                  {
                    rule: 'has(self.__import__) ? !has(self.name) : true',
                    message: 'name and import exclude each other',
                  },
                ],
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 10 },
                  min: { type: 'integer', default: 1 },
                  color: { type: 'string', enum: ['red', 'green'], default: 'red' },
                  name: {
                    type: 'string',
                    minLength: 1,
                    maxLength: 5,
                    pattern: '^[a-zé]+$',
                    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'name is immutable' }],
                  },
                  id: { type: 'string', format: 'uuid' },
                  net: { type: 'string', format: 'cidr' },
                  at: { type: 'string', format: 'date-time' },
                  tags: {
                    type: 'array',
                    minItems: 1,
                    maxItems: 3,
                    items: { type: 'string' },
                    'x-kubernetes-list-type': 'set',
                    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'tags are immutable' }],
                  },
                  ports: {
                    type: 'array',
                    maxItems: 10,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: {
                        name: { type: 'string' },
                        port: { type: 'integer' },
                        fixed: {
                          type: 'string',
                          maxLength: 50,
                          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
                        },
                      },
                    },
                  },
                  marks: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                  steps: { type: 'array', items: { type: 'string' } },
                  options: {
                    type: 'object',
                    minProperties: 1,
                    maxProperties: 2,
                    additionalProperties: { type: 'string' },
                  },
                  anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  quantity: { 'x-kubernetes-int-or-string': true },
                  flag: { type: 'boolean' },
                  ratio: { type: 'number', maximum: 1_000_000 },
                  maybe: { type: 'string', nullable: true },
                  import: { type: 'object', maxProperties: 1, properties: { id: { type: 'string' } } },
                },
              },
              status: {
                type: 'object',
                properties: {
                  id: { type: 'string', minLength: 1 },
                  ips: { type: 'array', items: { type: 'object', properties: { ip: { type: 'string' } } } },
                  conditions: {
                    type: 'array',
                    items: condition,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
} as const;
