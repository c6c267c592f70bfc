// The demo's landscape as the page receives it, from its files: 136 objects of a company's cloud, racks and Windows node.
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { registryOf } from '../../../actors/effects/operations-service.ts';
import { BUILT_IN, configure } from '../../../actors/process/adapters.ts';
import { needsOf } from '../../../actors/visualizer/needs.ts';
import type { Tree } from '../../../actors/visualizer/wire.ts';
import { addressKey, internAddress } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';

const SAMPLES = new URL('../../../deploy/samples/', import.meta.url);
const FOLDERS = ['company-cloud', 'company-racks', 'company-windows'];
export const NAMESPACE = 'company-cloud';
/** Troupe makes these for each host that it has inspected. */
const OF_HOSTS = ['HostFirmwareSettings', 'HostFirmwareComponents'];

export const REGISTRY = registryOf(BUILT_IN.map((adapter) => configure(adapter, {}, {}, 'development')));

export function tree(more: Partial<Tree> & Pick<Tree, 'key' | 'kind' | 'name'>): Tree {
  return {
    namespace: NAMESPACE,
    uid: `uid-${more.key}`,
    tone: 'available',
    state: 'idle.available',
    since: 0,
    createdAt: 0,
    attempts: 0,
    retryAt: 0,
    said: '',
    id: '',
    addresses: [],
    needs: [],
    ...more,
  };
}

/** All of it, settled. */
export function company(namespace = NAMESPACE): readonly Tree[] {
  const objects = FOLDERS.flatMap((folder) => {
    const files = readdirSync(new URL(`${folder}/`, SAMPLES)).filter((name) => name.endsWith('.yaml'));
    return files.flatMap((file) =>
      parseAllDocuments(readFileSync(new URL(`${folder}/${file}`, SAMPLES), 'utf8')).map(
        (document) => document.toJS() as KubeObject | null,
      ),
    );
  });
  return objects.flatMap((object): Tree[] => {
    const kind = REGISTRY.kinds.find((each) => each.kind === object?.kind);
    if (object === null || kind === undefined) return [];
    const { realm, plural } = kind;
    const address = internAddress({ realm, plural, namespace, name: object.metadata.name });
    const key = addressKey(address);
    const own = tree({
      key,
      kind: kind.kind,
      name: address.name,
      namespace,
      needs: needsOf(object, address, kind, REGISTRY),
    });
    if (kind.kind !== 'BareMetalHost') return [own];
    const made = OF_HOSTS.map((of) => {
      const resource = REGISTRY.kinds.find((each) => each.kind === of);
      const at = { realm, plural: resource?.plural ?? of, namespace, name: own.name };
      return tree({ key: addressKey(at), kind: of, name: own.name, namespace, needs: [key] });
    });
    return [own, ...(own.name === 'old-shop' ? [] : made)];
  });
}

export function keyOf(kind: string, name: string, namespace = NAMESPACE): string {
  const { realm, plural } = REGISTRY.kinds.find((each) => each.kind === kind) ?? { realm: 'openstack', plural: kind };
  return addressKey({ realm, plural, namespace, name });
}

/** Three root causes, and all that waits for them: as long before now as given, in milliseconds. */
export function broken(trees: readonly Tree[], now: number): readonly Tree[] {
  const roots = new Map<string, Partial<Tree>>([
    [
      keyOf('SecurityGroup', 'measured'),
      {
        tone: 'failing',
        state: 'backingOff',
        attempts: 6,
        since: now - 149_000,
        retryAt: now + 42_000,
        said: "409 OverQuota: Quota exceeded for resources: ['security_group_rule'].",
      },
    ],
    [
      keyOf('Network', 'public'),
      {
        tone: 'failed',
        state: 'failed',
        said: 'Two networks match name=public, external=true; the filter must match one.',
      },
    ],
    [
      keyOf('Service', 'stock'),
      {
        tone: 'failing',
        state: 'backingOff',
        attempts: 5,
        since: now - 140_000,
        retryAt: now + 9_000,
        said: '503 Service Unavailable, from POST /v3/services.',
      },
    ],
  ]);
  const all = new Map(trees.map((each) => [each.key, each]));
  const waits = new Map<string, string>();
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const { key, needs } of trees) {
      if (roots.has(key) || waits.has(key)) continue;
      const need = needs.find((each) => roots.has(each) || waits.has(each));
      if (need === undefined) continue;
      waits.set(key, need);
      isNew = true;
    }
  }
  return trees.map((each) => {
    const root = roots.get(each.key);
    const need = all.get(waits.get(each.key) ?? '');
    const rest = { since: now - 150_000, createdAt: now - 152_000 };
    if (root !== undefined) return { ...each, ...rest, ...root };
    if (need === undefined) return { ...each, ...rest };
    return {
      ...each,
      ...rest,
      tone: 'waiting',
      state: 'claiming.awaitingDependencies',
      said: `Waiting for ${need.kind}/${need.name} to be ready`,
    };
  });
}
