// What a process may do in the cluster for an adapter of finished definitions: each role what it does, and no more.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rulesOf } from '../../../actors/process/cluster-rules.ts';
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { metal3Contracts } from '../../../adapters/ironic/api/contracts.ts';
import { metal3 } from '../metal3-adapter.ts';

const test = suite('rules of the cluster');

const FOLLOWED = ['hardwaredata', 'hostupdatepolicies'];
const LIVING = metal3Contracts.flatMap(({ plural }) => (FOLLOWED.includes(plural) ? [] : plural));
const adapter: Adapter = {
  ...metal3,
  referencedKinds: metal3Contracts.flatMap(({ group, version, kind, plural }) =>
    FOLLOWED.includes(plural)
      ? [{ realm: 'metal3', group, version, kind, plural, publicState: () => ({ ready: true }) }]
      : [],
  ),
};

/** Verbs by group and resource. */
function verbsOf(role: string): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {};
  for (const { apiGroups, resources, verbs } of rulesOf([adapter], [role])) {
    for (const name of apiGroups.flatMap((group) => resources.map((resource) => `${resource}.${group}`))) {
      found[name] = [...(found[name] ?? []), ...verbs].sort();
    }
  }
  return found;
}

type Verbs = readonly string[];
const each = (plurals: readonly string[], suffix: string, verbs: Verbs): Readonly<Record<string, Verbs>> =>
  Object.fromEntries(plurals.map((plural) => [`${plural}${suffix}.metal3.io`, verbs]));

/** Who may read the metrics is asked by every process. */
const REVIEWS = {
  'tokenreviews.authentication.k8s.io': ['create'],
  'subjectaccessreviews.authorization.k8s.io': ['create'],
};

test('who serves the foreign system reads Secrets, the kinds, and what it says that it reads', () => {
  assert.equal(verbsOf('ironic'), {
    'secrets.': ['get'],
    ...each(LIVING, '', ['get']),
    ...each(FOLLOWED, '', ['get', 'list']),
    'ironics.ironic.metal3.io': ['get'],
    ...REVIEWS,
  });
});

test('what all is read of is listed by who serves the foreign system, and by nobody else for that', () => {
  const listing: Adapter = { ...adapter, lists: [{ group: 'example.org', plural: 'things' }] };
  const things = (role: string): Verbs =>
    rulesOf([listing], [role])
      .filter(({ resources }) => resources.includes('things'))
      .flatMap(({ verbs }) => verbs);
  assert.equal(things('ironic'), ['list']);
  assert.equal(things('actors'), []);
});

test('who watches lists and watches', () => {
  const verbs = ['list', 'watch'];
  assert.equal(verbsOf('watch'), {
    'secrets.': verbs,
    ...each([...LIVING, ...FOLLOWED], '', verbs),
    ...REVIEWS,
  });
});

test('who hosts actors writes what they write: finalizers and labels, status, what they make', () => {
  assert.equal(verbsOf('actors'), {
    'secrets.': ['get', 'list', 'patch'],
    ...each(LIVING, '', ['get', 'list', 'patch']),
    ...each(FOLLOWED, '', ['get', 'list']),
    ...each(LIVING, '/status', ['patch']),
    'hardwaredata.metal3.io': ['create', 'delete', 'get', 'list', 'patch'],
    'hostfirmwaresettings.metal3.io': ['create', 'delete', 'get', 'list', 'patch'],
    'baremetalhosts/finalizers.metal3.io': ['update'],
    'events.': ['create', 'patch'],
    'events.events.k8s.io': ['create', 'patch'],
    ...REVIEWS,
  });
});

test.run();
