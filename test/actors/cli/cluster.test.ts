// How people may name kinds and objects: as kubectl lets them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allNamed, named, objectNamed } from '../../../actors/cli/cluster.ts';
import { registryOf } from '../../../actors/effects/operations-service.ts';
import { openstackWith } from '../../../adapters/openstack/mod.ts';
import { TerminalError, toErrorData } from '../../../bus/mod.ts';
import { configuredMetal3 } from '../metal3-adapter.ts';

const test = suite('names of kinds');

const adapters = [openstackWith({}), configuredMetal3];
const namable = { resources: registryOf(adapters).resources, adapters };

test('a kind goes by its kind, its plural, both with its group, and its short names, in any case', () => {
  const spellings = ['BareMetalHost', 'baremetalhosts', 'baremetalhosts.metal3.io', 'baremetalhost.metal3.io'];
  for (const spelling of [...spellings, 'baremetalhosts.v1alpha1.metal3.io', 'bmh', 'bmhost', 'BMH']) {
    assert.is(named('get', namable, [spelling]).resource.plural, 'baremetalhosts', spelling);
  }
  assert.is(named('get', namable, ['hd']).resource.kind, 'HardwareData');
});

test('an object is named behind a short name as behind any other', () => {
  const node = { realm: 'metal3', plural: 'baremetalhosts', name: 'node-1' };
  assert.equal(objectNamed('why', namable, ['bmh/node-1']), node);
  assert.equal(objectNamed('why', namable, ['bmh', 'node-1']), node);
});

test('35.A5: several kinds stand with commas, several objects behind their kind or each with its own', () => {
  const labels = (words: readonly string[]): readonly string[] =>
    allNamed('get', namable, words).map(
      ({ resource, name }) => `${resource.kind}${name === undefined ? '' : `/${name}`}`,
    );
  assert.equal(labels(['network,subnets,bmh']), ['Network', 'Subnet', 'BareMetalHost']);
  assert.equal(labels(['network', 'a', 'b']), ['Network/a', 'Network/b']);
  assert.equal(labels(['network,subnet', 'a']), ['Network/a', 'Subnet/a']);
  assert.equal(labels(['network/a', 'bmh/b']), ['Network/a', 'BareMetalHost/b']);
  for (const words of [['network,'], ['network/a', 'b'], ['network,netwrok']]) {
    assert.throws(
      () => labels(words),
      (error: unknown) => error instanceof TerminalError,
      words.join(' '),
    );
  }
});

test('a call that makes no sense names the forms of that command, and no others', () => {
  const refusal = (call: () => unknown): string => {
    try {
      call();
    } catch (error) {
      assert.instance(error, TerminalError);
      return toErrorData(error).message;
    }
    return 'none';
  };
  assert.is(
    refusal(() => named('retry', namable, [])),
    "'retry' needs a name: 'troupe retry --help' lists what it takes",
  );
  assert.is(
    refusal(() => objectNamed('trace', namable, ['network'])),
    "'trace' cannot take 'network': 'troupe trace --help' lists what it takes",
  );
  assert.is(
    refusal(() => objectNamed('events', namable, ['a', 'b', 'c'])),
    "'events' cannot take 'a b c': 'troupe events --help' lists what it takes",
  );
});

test('a short name of a kind that is not there is none', () => {
  const [openstack] = adapters;
  if (openstack === undefined) throw new Error('there is no adapter');
  const { resources } = namable;
  for (const given of [
    { resources, adapters: [openstack] },
    { resources: registryOf([openstack]).resources, adapters },
  ]) {
    try {
      named('get', given, ['bmh']);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, TerminalError);
      assert.match(toErrorData(error).message, /^there is no kind 'bmh'/);
    }
  }
});

test.run();
