// HostClaims on the whole runtime, with a host and a simulated Ironic.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { conditionOf, isIn, NAMESPACE, type Raw, withHosts } from '../../world/hosts.ts';

const test = suite('host claims');
const HOST = 'baremetalhosts/one';
const [FIRST, SECOND] = ['hostclaims/first', 'hostclaims/second'];

const boundTo = ({ status }: Raw): JsonObject => (status?.['bareMetalHost'] ?? {}) as JsonObject;
const associated = (claim: Raw): unknown => conditionOf(claim, 'Associated')?.['reason'];
const isBound = (claim: Raw): boolean => boundTo(claim)['name'] === 'one';
const consumerOf = ({ spec }: Raw): unknown => ((spec?.['consumerRef'] ?? {}) as JsonObject)['name'];

test('of two claims one gets the host; the other one gets it after its deletion', () =>
  withHosts(
    async (world) => {
      await world.host({ inspectionMode: 'disabled' });
      await world.until(HOST, 'available', isIn('available'));
      await world.create(FIRST, { spec: { poweredOn: true } });
      // No claim is accepted before a policy allows it.
      await world.until(FIRST, 'reported', (claim) => associated(claim) === 'NoBareMetalHost');
      await world.create('hostdeploypolicies/own', { spec: { hostClaimNamespaces: { names: [NAMESPACE] } } });
      await world.until(FIRST, 'bound', isBound);
      assert.is(consumerOf((await world.read(HOST)) as Raw), 'first');
      await world.create(SECOND, { spec: { poweredOn: true } });
      await world.until(SECOND, 'reported', (claim) => associated(claim) === 'NoBareMetalHost');
      await world.remove(FIRST);
      await world.gone(FIRST);
      await world.until(SECOND, 'bound', isBound);
      assert.is(consumerOf((await world.read(HOST)) as Raw), 'second');
      // A user removes the reference: nothing else of the host changes.
      await world.merge(HOST, { spec: { consumerRef: null } });
      await world.until(HOST, 'taken again', (host) => consumerOf(host) === 'second');
    },
    { env: { TROUPE_HOSTCLAIMS: 'true' } },
  ));

test.run();
