// Settled objects of all kinds, as many as are wanted: one set is made by the actors on the cloud of the stage, and stored many
// times over under other names and other ids, with finalizers, conditions and what was observed.

import { KINDS } from '../../adapters/openstack/kinds/registry.ts';
import { GROUP, VERSION } from '../../adapters/openstack/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { everyKind, IMAGE_CONTENT, manifestOf, secretsFor } from '../actors/every-kind.ts';
import { startFileHost } from '../adapters/openstack/file-host.ts';
import { until } from './chain.ts';
import { CREDENTIALS, type Item, type Landscape, pluralOf, type Stored } from './landscape.ts';
import type { Stage } from './stage.ts';

export interface SettledItem {
  readonly item: Item;
  readonly status: JsonObject;
}

const PREFIX = 'pattern';
/** Ids of OpenStack, with dashes and without. */
const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b/g;

/** What a set has that another one lacks: objects with an owner, which a copy would have to know by its uid. */
const OWNED = ['own-sub'].map((suffix) => `${PREFIX}-${suffix}`);

/** Has the actors make one set. @returns the objects as the API server has them when all is done for them */
export async function pattern(stage: Stage, landscape: Landscape): Promise<readonly SettledItem[]> {
  const host = await startFileHost();
  try {
    const imageUrl = host.file('/image', IMAGE_CONTENT);
    const whole = everyKind({ prefix: PREFIX, imageUrl, userName: 'admin' });
    const set = whole.filter(({ name }) => !OWNED.includes(name));
    await landscape.secrets(secretsFor(PREFIX));
    await stage.startActors();
    await landscape.apply(
      set.map((one) => ({ plural: pluralOf(one.kind), name: one.name, body: manifestOf(one, CREDENTIALS) })),
    );
    await until(stage, async ({ countByState }) => {
      const done = countByState['idle.available'] ?? 0;
      return done >= set.length ? 'done' : done;
    });
    await stage.quiet();
    await stage.stopActors();
    const plurals = [...new Set(set.map(({ kind }) => pluralOf(kind)))];
    const made = await Promise.all(
      plurals.map(async (plural) => (await landscape.list(plural)).map((object) => settledAs(plural, object))),
    );
    return made.flat();
  } finally {
    await host.close();
  }
}

/** The set once more, under names and ids of its own. */
export function copy(
  set: readonly SettledItem[],
  index: number,
): { readonly prefix: string; readonly items: readonly SettledItem[] } {
  const prefix = `copy-${index}`;
  const tag = index.toString(16).padStart(6, '0');
  const text = JSON.stringify(set)
    .replaceAll(PREFIX, prefix)
    .replace(ID, (id) => `${tag}${id.slice(6)}`);
  return { prefix, items: JSON.parse(text) as readonly SettledItem[] };
}

function settledAs(plural: string, object: Stored): SettledItem {
  const { metadata, spec, status } = object as unknown as Readonly<Record<'metadata' | 'spec' | 'status', JsonObject>>;
  const { name, finalizers = [] } = metadata as { readonly name: string; readonly finalizers?: readonly string[] };
  const { kind } = KINDS.find((each) => each.plural === plural) ?? {};
  const body = { apiVersion: `${GROUP}/${VERSION}`, kind: kind ?? '', metadata: { name, finalizers }, spec };
  return { item: { plural, name, body }, status };
}
