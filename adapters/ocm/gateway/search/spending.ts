// The budget of one query.

/** Cost limit of one query; it is the same for all its objects. */
export interface Spending {
  /** @throws {RefusedRequest} 400: the query costs more than is reasonable */
  spend(steps: number): void;
}
