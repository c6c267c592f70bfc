// Every subject, built and parsed in one place. Names may hold dots, NATS tokens may not: they are percent-encoded
// here and nowhere else.
//
//   troupe.mail.<shard>.<realm>.<plural>.<namespace>.<name>.<topic>[.<realm>.<plural>.<name>]
//   troupe.event.<realm>.<plural>.<namespace>.<name>.<type>
//
// The namespace of a cluster-scoped object is the empty string, written as the token `_`.

/** Where an actor is found: named like its object. */
export interface Address {
  /** Short name of the API group: `openstack`, `core`. */
  readonly realm: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a piece of mail is about. A claim and an answer name the other side, which lives in the same namespace. */
export type MailSubject = { readonly to: Address } & (
  | { readonly topic: 'object' | 'observed' }
  | { readonly topic: 'claim' | 'ready'; readonly from: Address }
);
