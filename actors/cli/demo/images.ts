// The content of the demo's images: small files of its own, served on loopback in place of what the manifests name.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../bus/mod.ts';
import type { LandscapeObject } from './landscape.ts';

/** Large enough to come in several pieces, in bytes. */
const SIZE = 256 * 1_024;

export interface ImageHost {
  /** The image with a content that is served here, and its checksum; any other object as it is. */
  localized(object: LandscapeObject): LandscapeObject;
  close(): Promise<void>;
}

/** Starts serving on a free port of loopback. */
export async function startImageHost(): Promise<ImageHost> {
  const served = new Map<string, Buffer>();
  const server = createServer(({ url = '' }, response) => {
    const content = served.get(url);
    if (content === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Length': content.length }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    localized(object) {
      const spec = (object.manifest['spec'] ?? {}) as { readonly resource?: JsonObject };
      const { content } = spec.resource ?? {};
      if (object.kind !== 'Image' || content === undefined) return object;
      const path = `/${object.name}`;
      const bytes = Buffer.alloc(SIZE, `${object.name} `);
      served.set(path, bytes);
      const hash = { algorithm: 'sha256', value: createHash('sha256').update(bytes).digest('hex') };
      const download = { url: origin + path, hash };
      const resource = { ...spec.resource, content: { ...(content as JsonObject), download } };
      return { ...object, manifest: { ...object.manifest, spec: { ...spec, resource } } };
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
