// What a process may do in the cluster for an adapter of finished definitions: each role what it does, and no more.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rulesOf } from '../../../actors/process/cluster-rules.ts';
import { metal3Contracts } from '../../../adapters/ironic/api/contracts.ts';
import { metal3 } from '../metal3-adapter.ts';

const test = suite('rules of the cluster');

const PLURALS = metal3Contracts.map(({ plural }) => plural);

/** Verbs by group and resource. */
function verbsOf(role: string): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {};
  for (const { apiGroups, resources, verbs } of rulesOf([metal3], [role])) {
    for (const name of apiGroups.flatMap((group) => resources.map((resource) => `${resource}.${group}`))) {
      found[name] = [...(found[name] ?? []), ...verbs].sort();
    }
  }
  return found;
}

const all = (suffix: string, verbs: readonly string[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(PLURALS.map((plural) => [`${plural}${suffix}.metal3.io`, verbs]));

/** Who may read the metrics is asked by every process. */
const REVIEWS = {
  'tokenreviews.authentication.k8s.io': ['create'],
  'subjectaccessreviews.authorization.k8s.io': ['create'],
};

test('who serves the foreign system reads Secrets, the kinds, and what it says that it reads', () => {
  assert.equal(verbsOf('ironic'), {
    'secrets.': ['get'],
    ...all('', ['get']),
    'ironics.ironic.metal3.io': ['get'],
    ...REVIEWS,
  });
});

test('who watches lists and watches', () => {
  assert.equal(verbsOf('watch'), { 'secrets.': ['list', 'watch'], ...all('', ['list', 'watch']), ...REVIEWS });
});

test('who hosts actors writes what they write: finalizers and labels, status, what they make', () => {
  assert.equal(verbsOf('actors'), {
    'secrets.': ['get', 'list', 'patch'],
    ...all('', ['get', 'list', 'patch']),
    ...all('/status', ['patch']),
    'hardwaredata.metal3.io': ['create', 'delete', 'get', 'list', 'patch'],
    'hostfirmwaresettings.metal3.io': ['create', 'delete', 'get', 'list', 'patch'],
    'baremetalhosts/finalizers.metal3.io': ['update'],
    'events.': ['create', 'patch'],
    'events.events.k8s.io': ['create', 'patch'],
    ...REVIEWS,
  });
});

test.run();
