// Differences between the services of OpenStack that concern several kinds.

export interface Service {
  /** Catalog type. */
  readonly type: string;
  readonly updateMethod: 'PUT' | 'PATCH';
  /**
   * Batching of lookups by name. `names`: a repeated `name` in one query means any of them; `exact`: the service
   * accepts one name per query, so that many lookups are better answered from the whole list.
   */
  readonly lookUp: 'names' | 'exact';
  /** Updates carry the revision that was read, in `If-Match`. */
  readonly revisions: boolean;
  /** `bare`: a body that holds one resource is that resource; it names it by a member unless stated. */
  readonly bodies?: 'bare';
  /** `patch`: an update is a JSON patch (RFC 6902) of this media type; it is attributes, as a create, unless stated. */
  readonly patch?: string;
  /** Query parameter for each single tag; tags are joined by default. */
  readonly tagKey?: string;
  /** Sent with each call: the microversion, where the service has such. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const NEUTRON: Service = { type: 'network', updateMethod: 'PUT', lookUp: 'names', revisions: true };
export const KEYSTONE: Service = { type: 'identity', updateMethod: 'PATCH', lookUp: 'exact', revisions: false };
/** Image service API v2. */
export const GLANCE: Service = {
  type: 'image',
  updateMethod: 'PATCH',
  lookUp: 'exact',
  revisions: false,
  bodies: 'bare',
  patch: 'application/openstack-images-v2.1-json-patch',
  tagKey: 'tag',
};
export const NOVA: Service = {
  type: 'compute',
  updateMethod: 'PUT',
  lookUp: 'exact',
  revisions: false,
  headers: { 'X-OpenStack-Nova-API-Version': '2.71', 'OpenStack-API-Version': 'compute 2.71' },
};

/** Headers that each call of a service carries, by its type. */
export const SERVICE_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  [NOVA].map(({ type, headers = {} }) => [type, headers]),
);
export const CINDER: Service = { type: 'block-storage', updateMethod: 'PUT', lookUp: 'exact', revisions: false };
export const MANILA: Service = { type: 'shared-file-system', updateMethod: 'PUT', lookUp: 'exact', revisions: false };
