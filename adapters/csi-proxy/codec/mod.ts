// Messages on the wire and as JSON.
export { type Field, list, map, one, secret } from './fields.ts';
export { fromJson, HIDDEN, type Json, toJson } from './json.ts';
export {
  type FieldTable,
  type MessageType,
  type Method,
  message,
  rpc,
  type Service,
  UNKNOWN_FIELDS,
} from './message.ts';
export {
  bool,
  bytes,
  double,
  type Empty,
  type EnumType,
  enumOf,
  fixed32,
  fixed64,
  float,
  int32,
  int64,
  type OpenEnum,
  sfixed32,
  sfixed64,
  sint32,
  sint64,
  text,
  uint32,
  uint64,
  type ValueType,
} from './scalars.ts';
export { WireError } from './wire-error.ts';
