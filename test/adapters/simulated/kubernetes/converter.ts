// A conversion webhook of a test's own, over TLS: it knows hosts as `host: "name:port"` in v1 and as `hostname` and
// `port` in v2, and fails in the ways it is told to.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../../actors/base/clock.ts';
import { certify, makeAuthority } from '../../../../adapters/kubernetes/tls/certificates.ts';
import { isMap, type JsonMap, listOf, mapOf, stringOf } from '../../../../adapters/text/json.ts';

/** How an answer is spoilt. */
export type Spoil = (response: JsonMap, objects: JsonMap[]) => JsonMap;

export interface Converter {
  readonly url: string;
  /** For `caBundle`: base64 of the PEM. */
  readonly caBundle: string;
  /** How many objects each review so far had. */
  readonly reviews: number[];
  /** Changes the answers from now on; undefined for honest ones. */
  spoil: Spoil | undefined;
  /** Status of the answers, 200 unless told otherwise. */
  status: number;
  /** Awaited before an answer. */
  before: () => Promise<void>;
  close(): Promise<void>;
}

function converted(raw: unknown, apiVersion: string): JsonMap {
  const object: JsonMap = { ...mapOf(raw), apiVersion };
  const { host, hostname, port, ...rest } = mapOf(object['spec']);
  if (apiVersion.endsWith('/v2') && host !== undefined) {
    const [name = '', number = '0'] = stringOf(host).split(':');
    object['spec'] = { ...rest, hostname: name, port: Number(number) };
  } else if (apiVersion.endsWith('/v1') && hostname !== undefined) {
    object['spec'] = { ...rest, host: `${String(hostname)}:${String(port ?? 0)}` };
  }
  return object;
}

export async function startConverter(): Promise<Converter> {
  const clock = systemClock();
  const authority = await makeAuthority('converter-ca', clock.now());
  const { certificate: caCertificate } = authority;
  const { certificate, key } = await certify(authority, { name: 'converter', hosts: [] }, clock.now());
  const reviews: number[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review: unknown = JSON.parse(Buffer.concat(chunks).toString());
      if (!isMap(review)) throw new Error('no review');
      const asked = mapOf(review['request']);
      const objects = listOf(asked['objects']).map((one) => converted(one, stringOf(asked['desiredAPIVersion'])));
      reviews.push(objects.length);
      const honest = { uid: asked['uid'], convertedObjects: objects, result: { status: 'Success' } };
      void converter.before().then(() => {
        const answer = converter.spoil === undefined ? honest : converter.spoil(honest, objects);
        response.writeHead(converter.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ ...review, response: answer }));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const converter: Converter = {
    url: `https://127.0.0.1:${port}/convert`,
    caBundle: Buffer.from(caCertificate).toString('base64'),
    reviews,
    spoil: undefined,
    status: 200,
    before: () => Promise.resolve(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return converter;
}

const text = { type: 'string' } as const;

/** Hosts in two versions; v1 is stored unless told otherwise. */
export function hosts(conversion: unknown, storage: 'v1' | 'v2' = 'v1'): JsonMap {
  const version = (name: 'v1' | 'v2', spec: JsonMap): JsonMap => ({
    name,
    served: true,
    storage: name === storage,
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: spec },
          status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'hosts.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { kind: 'Host', plural: 'hosts' },
      conversion,
      versions: [
        version('v1', { host: text, color: { type: 'string', default: 'red' } }),
        version('v2', {
          hostname: text,
          port: { type: 'integer', maximum: 100 },
          color: { type: 'string', default: 'blue' },
          shade: { type: 'string', default: 'dark' },
        }),
      ],
    },
  };
}

export const byWebhook = ({ url, caBundle }: Pick<Converter, 'url' | 'caBundle'>): JsonMap => ({
  strategy: 'Webhook',
  webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] },
});

export const V1 = '/apis/example.org/v1/namespaces/default/hosts';
export const V2 = '/apis/example.org/v2/namespaces/default/hosts';

export const host = (version: string, name: string, spec: JsonMap, metadata: JsonMap = {}): JsonMap => ({
  apiVersion: `example.org/${version}`,
  kind: 'Host',
  metadata: { name, ...metadata },
  spec,
});
