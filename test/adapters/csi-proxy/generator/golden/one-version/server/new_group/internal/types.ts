// What the server of group new_group works on: all that some version can say.
import type {
  bool,
  bytes,
  double,
  float,
  int64,
  OpenEnum,
  Empty as proto_Empty,
  text,
  uint32,
  uint64,
} from '../../../../../../../../../adapters/csi-proxy/codec/scalars.ts';

/** Without fields, and with a name that generated code uses, too. */
export type Empty = proto_Empty;

export const Plain = { FIRST: 0, SECOND: 1 } as const;
export type Plain = OpenEnum<(typeof Plain)[keyof typeof Plain]>;

/** How a thing is stored. *\/ is no end of this comment. */
export const Storage = {
  /** On disk. */
  DISK: 0,
  /** @deprecated */
  TAPE: 7,
  NOWHERE: -1,
} as const;
export type Storage = OpenEnum<(typeof Storage)[keyof typeof Storage]>;

export interface StoreThingRequest {
  /** What is stored. */
  thing: Thing | undefined;
  /** Nobody else may know it. */
  password: text;
}

export interface StoreThingResponse {
  id: uint64;
  weight: float;
}

export interface Thing {
  /** Things may hold things. */
  things: Thing[];
  firstPart: Thing_Part | undefined;
  partsByName: Map<text, Thing_Part>;
  data: Map<uint32, bytes>;
  sizes: int64[];
  storage: Storage;
  plains: Plain[];
  weight: double;
  picture: bytes;
  LUNID: bool;
  old: uint32;
}

export interface Thing_Part {
  name: text;
}
