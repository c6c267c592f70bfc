// The name of an actor.

/** Address of an actor: the same as its object's. */
export interface Address {
  /** Short name of the API group: `openstack`, `core`. */
  readonly realm: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
}
