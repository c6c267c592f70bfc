// How the services of OpenStack differ from each other, as far as kinds have it in common.

export interface Service {
  /** Catalogue type. */
  readonly type: string;
  readonly updateMethod: 'PUT' | 'PATCH';
  /**
   * How many look-ups by name become few requests. `names`: a repeated `name` in one query means any of them; `exact`: the
   * service knows one name a query, so that many look-ups are better answered from the whole list.
   */
  readonly lookUp: 'names' | 'exact';
  /** Updates carry the revision that was read, in `If-Match`. */
  readonly revisions: boolean;
}

export const NEUTRON: Service = { type: 'network', updateMethod: 'PUT', lookUp: 'names', revisions: true };
export const KEYSTONE: Service = { type: 'identity', updateMethod: 'PATCH', lookUp: 'exact', revisions: false };
