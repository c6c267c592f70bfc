// What client and server tell gRPC alike: where a pipe is, and that messages come and go as bytes.

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
