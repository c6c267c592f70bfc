// The name of an actor.

/** Where an actor is found: named like its object. */
export interface Address {
  /** Short name of the API group: `openstack`, `core`. */
  readonly realm: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
}
