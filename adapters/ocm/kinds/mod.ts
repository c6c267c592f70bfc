export { BINDINGS_FILE, type Binding, parseBindings } from './bindings.ts';
export { definitionOf } from './definition.ts';
export { type Bound, bindingsOfAll, bindKinds, type ModelKind } from './kinds.ts';
