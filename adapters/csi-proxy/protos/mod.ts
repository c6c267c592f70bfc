// Reading `.proto` files with places.
export {
  allElements,
  allEnums,
  allMessages,
  Cardinality,
  type Element,
  type Enum,
  type EnumValue,
  type Field,
  type Message,
  type Package,
  type Position,
  type Problem,
  ProtoError,
  type ProtoFile,
  problemText,
  type Reserved,
  type ReservedName,
  type ReservedRange,
  type Rpc,
  SCALARS,
  type Scalar,
  type Service,
  type TypeRef,
} from './model.ts';
export { readProto } from './read.ts';
export { isNameReserved, isNumberReserved } from './reserved.ts';
