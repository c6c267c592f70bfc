// What generated code says of a message and of a call.

/** Types of messages, and of everything generated from `api.proto`, have one shape: plain data with every field there. */
export interface MessageType<Message extends object> {
  /** With its package: `v1.DiskLocation`. */
  readonly name: string;
  /** A message of which every field that is not given has its default. */
  create(given?: Partial<Message>): Message;
  /** @throws {WireError} a value that its type cannot hold */
  encode(message: Partial<Message>): Uint8Array;
  /** @throws {WireError} bytes that are no such message, cut short or not */
  decode(bytes: Uint8Array): Message;
}

/** One call of a service. */
export interface Method<Request extends object, Response extends object> {
  /** As the proto has it: `ListDiskLocations`. */
  readonly name: string;
  /** `/v1.Disk/ListDiskLocations`. */
  readonly path: string;
  readonly request: MessageType<Request>;
  readonly response: MessageType<Response>;
  /** Marked deprecated, itself or with its version. */
  readonly isDeprecated: boolean;
}
