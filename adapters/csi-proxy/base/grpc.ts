// Common settings of gRPC client and server: addresses of pipes, and messages as bytes.

/** The name of a pipe as a target. `unix://` would put a `/` before it, and reach no pipe. */
export function grpcTarget(path: string): string {
  return `unix:${path}`;
}

export function asIs(bytes: Buffer): Buffer {
  return bytes;
}

/** The same memory. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
