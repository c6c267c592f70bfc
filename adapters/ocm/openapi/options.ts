/** Extensions of a document beyond the published ones. All are off by default. */
export interface OpenApiOptions {
  /** Every operation has an `operationId`, which no other of its document has. */
  readonly operationIds?: boolean;
  /**
   * Members that are never absent are `required`: bodies that are a value of their own, members of lists and of errors.
   */
  readonly required?: boolean;
  /** `kind` and `href` of objects are `readOnly`: servers ignore them in requests. */
  readonly readOnly?: boolean;
  /** A list may also be asked for by POST with `?method=get` and its parameters in the body. */
  readonly methodGet?: boolean;
  /** Defaults, and the least values that servers accept. */
  readonly hints?: boolean;
  /** Link targets that are in another service get a schema of `kind`, `id` and `href`; otherwise they dangle. */
  readonly closeLinks?: boolean;
}
