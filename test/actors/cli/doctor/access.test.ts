// What doctor says of the rights of roles, by what the API server answers.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { examineAccess } from '../../../../actors/cli/doctor/access.ts';
import { type Check, Verdict } from '../../../../actors/cli/doctor/checks.ts';
import { BUILT_IN } from '../../../../actors/process/adapters.ts';
import type { KubeClient } from '../../../../adapters/kubernetes/mod.ts';
import { ROLE } from '../../../../adapters/windows/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';

const test = suite('doctor on rights');

interface Asked {
  readonly resource: string;
  readonly namespace?: string;
}

/** One role, where the cluster allows what this says. */
async function examined(
  role: string,
  namespaces: readonly string[] | undefined,
  isAllowed: (asked: Asked) => boolean,
): Promise<Check> {
  const answer = (status: JsonObject) => ({ body: { status }, serverTime: 0 });
  const client: Pick<KubeClient, 'call'> = {
    async call({ path, body }) {
      if (path.endsWith('/selfsubjectreviews')) return answer({ userInfo: { username: 'pod' } });
      const { resourceAttributes } = (body as JsonObject)['spec'] as unknown as { resourceAttributes: Asked };
      return answer({ allowed: isAllowed(resourceAttributes) });
    },
  };
  const [check] = await examineAccess(client, BUILT_IN, [role], namespaces);
  if (check === undefined) throw new Error('nothing is said');
  return check;
}

test('a node is asked about Secrets of namespaces that are named, and told where they are bound', async () => {
  const withoutSecrets = ({ resource }: Asked): boolean => resource !== 'secrets';
  assert.is((await examined(ROLE, undefined, withoutSecrets)).verdict, Verdict.Well, 'as it is installed');
  const inShop = ({ resource, namespace }: Asked): boolean => resource !== 'secrets' || namespace === 'shop';
  assert.is((await examined(ROLE, ['shop'], inShop)).verdict, Verdict.Well);
  const { verdict, found, todo } = await examined(ROLE, ['shop', 'lab'], inShop);
  assert.equal([verdict, found], [Verdict.Wrong, 'may not get secrets']);
  assert.match(todo ?? '', 'bind the ClusterRole troupe-csi-proxy-secrets, where Secrets are meant for it, to whom');
  const none = await examined(ROLE, undefined, () => false);
  assert.match(none.todo ?? '', 'bind the ClusterRole troupe-csi-proxy of deploy/chart to whom');
});

test('others need all Secrets, wherever they are', async () => {
  const { verdict, todo } = await examined('openstack', undefined, ({ resource }) => resource !== 'secrets');
  assert.is(verdict, Verdict.Wrong);
  assert.match(todo ?? '', 'bind the ClusterRole of deploy/install.yaml to whom');
});

test.run();
