// Value types that several kinds share (openstack-common, 1.3), and the spelling of addresses.

import { isIPv6 } from 'node:net';
import type { Json } from '../../../bus/bus.ts';
import { type Infer, integer, list, type Schema, string } from '../../api/contract/contract.ts';
import { TagKey, tagsLike } from './criteria.ts';
import { type FilterField, type ObservedOptions, observed, queriedAs, type StatusField } from './fields.ts';

/** A name of most services. */
export function openstackName(description: string): Schema<string> {
  return string(description, { minLength: 1, maxLength: 255, pattern: '^[^,]+$' });
}

export function keystoneName(description: string): Schema<string> {
  return string(description, { minLength: 1, maxLength: 64 });
}

/** Free text that a user writes. */
export function prose(description: string, { maxLength = 255 }: { readonly maxLength?: number } = {}): Schema<string> {
  return string(description, { minLength: 1, maxLength });
}

/** A string of the status: never judged beyond its length. */
export function text(description: string, { maxLength = 1024 }: { readonly maxLength?: number } = {}): Schema<string> {
  return string(description, { maxLength });
}

/** A list of the status. */
export function texts(description: string, { maxItems }: { readonly maxItems: number }): Schema<readonly string[]> {
  return list(description, text('One of them.'), { type: 'atomic', maxItems });
}

/** An instant of the status, as ISO 8601. */
export function instant(description: string): Schema<string> {
  return string(description, { format: 'date-time' });
}

/** An instant as Keystone tells it, with or without a zone, in whole seconds of UTC; undefined: it is none. */
export function keystoneTime(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const whole = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(value)?.[1];
  return whole === undefined ? undefined : `${whole}Z`;
}

export function cidr(description: string): Schema<string> {
  return string(description, { minLength: 1, maxLength: 49, format: 'cidr', address: true });
}

/** An address of either IP version. */
export function ip(description: string): Schema<string> {
  return string(description, { minLength: 1, maxLength: 45, address: true });
}

export function mac(description: string): Schema<string> {
  return string(description, { minLength: 1, maxLength: 17 });
}

export function ipVersion(description: string): Schema<4 | 6> {
  return integer(description, { enum: [4, 6] });
}

export function availabilityZoneHints(description: string): Schema<readonly string[]> {
  const zone = string('The name of an availability zone.', { minLength: 1, maxLength: 255 });
  return list(description, zone, { type: 'set', maxItems: 64 });
}

/** Tags of a Neutron resource. */
export function neutronTags(description: string): Schema<readonly string[]> {
  return tags(description, 64);
}

/** Tags of a Keystone resource. */
export function keystoneTags(description: string): Schema<readonly string[]> {
  return tags(description, 80);
}

/** Tags of a server. */
export function serverTags(description: string): Schema<readonly string[]> {
  return tags(description, 50, 80);
}

/** The four ways to filter by tags. `listOf` is the kind's type of tag lists. */
export function tagFilter(
  listOf: typeof neutronTags,
): Readonly<Record<'tags' | 'tagsAny' | 'notTags' | 'notTagsAny', FilterField>> {
  const field = (key: TagKey, description: string): FilterField =>
    queriedAs(listOf(description), (value: Infer<ReturnType<typeof listOf>>) => [tagsLike(key, value)]);
  return {
    tags: field(TagKey.All, 'tags selects resources that carry every one of these tags.'),
    tagsAny: field(TagKey.Any, 'tagsAny selects resources that carry one of these tags or more.'),
    notTags: field(TagKey.NotAll, 'notTags rejects resources that carry every one of these tags.'),
    notTagsAny: field(TagKey.NotAny, 'notTagsAny rejects resources that carry one of these tags or more.'),
  };
}

/**
 * The tags of a resource, sorted: they are a set, which a service may tell in another order each time (Glance does), and
 * a status in the order of the answer would be written again for nothing.
 */
export function observedTags(
  service: string,
  { maxItems, omitEmpty }: ObservedOptions & { readonly maxItems: number },
): StatusField {
  const field = observed(
    'tags',
    texts(`tags in ${service}.`, { maxItems }),
    omitEmpty === undefined ? {} : { omitEmpty },
  );
  return {
    ...field,
    read: (attributes) => {
      const tags = field.read(attributes);
      // mutant: tags-unsorted ?:.2 -> $0.1
      return Array.isArray(tags) ? [...tags].sort() : tags;
    },
  };
}

function tags(description: string, maxItems: number, maxLength = 255): Schema<readonly string[]> {
  const tag = string('A tag: one character or more, none of them a comma.', { minLength: 1, maxLength });
  return list(description, tag, { type: 'set', maxItems });
}

/**
 * The spelling of RFC 5952 of an IPv6 address or prefix: `FD00:0::1` is `fd00::1`. Whatever is neither is returned as it is.
 * OpenStack stores the shortest one; users may write any.
 *
 * A prefix keeps its host bits: refusing them is the cloud's.
 */
export function canonicalAddress(text: string): string {
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  // A zone (`fe80::1%eth0`) is part of an address for node:net, not for a URL.
  if (!isIPv6(address) || address.includes('%')) return text;
  const host = new URL(`http://[${address}]`).hostname;
  return host.slice(1, -1) + (slash < 0 ? '' : text.slice(slash));
}
