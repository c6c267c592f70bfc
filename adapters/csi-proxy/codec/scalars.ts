// The scalar types of protobuf, as names: in TypeScript several of them are the same type, and the generator must still
// tell them apart in the internal types of a group.

export type int32 = number;
export type uint32 = number;
export type int64 = bigint;
export type uint64 = bigint;
export type float = number;
export type double = number;
export type text = string;
export type bool = boolean;
export type bytes = Uint8Array;

/** A number that need not be one of the names of an enum: a later version may have more. */
export type OpenEnum<Named extends number> = Named | (number & Record<never, never>);

/** A message without fields. */
export type Empty = Record<string, never>;
