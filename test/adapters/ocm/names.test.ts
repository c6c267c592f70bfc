// Names: how identifiers are split, written and ordered.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareNames, compoundName, directoryName, nameOf } from '../../../adapters/ocm/model/names.ts';

const test = suite('names');

const FORMS: readonly (readonly [identifier: string, key: string, snake: string, camel: string])[] = [
  ['X', 'x', 'x', 'X'],
  ['Cluster', 'cluster', 'cluster', 'Cluster'],
  ['AccessKeyID', 'access_key_ID', 'access_key_id', 'AccessKeyID'],
  ['IDs', 'IDs', 'ids', 'IDs'],
  ['MainIPAddress', 'main_IP_address', 'main_ip_address', 'MainIPAddress'],
  ['CPUs', 'CPUs', 'cpus', 'CPUs'],
  ['CPUsList', 'CPUs_list', 'cpus_list', 'CPUsList'],
  ['TotalCPUUsage', 'total_CPU_usage', 'total_cpu_usage', 'TotalCPUUsage'],
  ['ClientX509CertURL', 'client_X509_cert_URL', 'client_x509_cert_url', 'ClientX509CertURL'],
  ['OpenIDURLs', 'open_IDURLs', 'open_idurls', 'OpenIDURLs'],
  ['EC2Instance', 'EC2_instance', 'ec2_instance', 'EC2Instance'],
  ['Ec2MetadataHttpTokens', 'ec_2_metadata_http_tokens', 'ec_2_metadata_http_tokens', 'Ec2MetadataHttpTokens'],
  ['Ec2Meta', 'ec_2_meta', 'ec_2_meta', 'Ec2Meta'],
  ['ABc', 'A_bc', 'a_bc', 'ABc'],
  ['IPv4', 'I_pv_4', 'i_pv_4', 'IPv4'],
  ['K8s', 'K8s', 'k8s', 'K8s'],
  ['V1Alpha1', 'V1_alpha_1', 'v1_alpha_1', 'V1Alpha1'],
  ['M5XLarge', 'M5X_large', 'm5x_large', 'M5XLarge'],
  ['FOO_BAR', 'foo_bar', 'foo_bar', 'Foo_bar'],
  ['myName', 'myname_name', 'myname_name', 'MynameName'],
  ['Foo_Bar', 'foo_foo_bar_ar', 'foo_foo_bar_ar', 'FooFoo_barAr'],
];

test('an identifier is split by letter case alone', () => {
  for (const [identifier, key, snake, camel] of FORMS) {
    const name = nameOf(identifier);
    assert.equal([name.key, name.snake, name.camel], [key, snake, camel], identifier);
  }
});

test('the one identifier of the published documents whose split goes wrong', () => {
  const name = nameOf('service_cluster_id');
  assert.is(name.snake, 'service_cluster_id_service_cluster_id_service_cluster_id_service_cluster_id_id');
  assert.is(name.garbled, true);
});

test('only a split that goes wrong is garbled', () => {
  const garbled = FORMS.map(([identifier]) => identifier).filter((identifier) => nameOf(identifier).garbled);
  assert.equal(garbled, ['myName', 'Foo_Bar']);
});

test('two names are the same if their keys are', () => {
  assert.is(nameOf('string').key, nameOf('String').key);
  assert.is.not(nameOf('Url').key, nameOf('URL').key);
  assert.is(nameOf('AwsShard').snake, nameOf('AWSShard').snake);
  assert.is.not(nameOf('AwsShard').key, nameOf('AWSShard').key);
});

test('initialisms come first, and the shorter of two names that begin alike', () => {
  const sorted = ['AbandonedAt', 'ID', 'Abandoned', 'HREF', 'ZzTop'].map(nameOf).sort(compareNames);
  assert.equal(
    sorted.map(({ camel }) => camel),
    ['HREF', 'ID', 'Abandoned', 'AbandonedAt', 'ZzTop'],
  );
});

test('the name of a directory has no initialisms', () => {
  assert.equal(directoryName('v1_alpha1').words, ['v1', 'alpha1']);
  assert.is(directoryName('clusters_mgmt').camel, 'ClustersMgmt');
  assert.is(directoryName('v1').camel, 'V1');
});

test('lists and maps have names of their own', () => {
  assert.is(compoundName([nameOf('AWSShard')], 'list').key, 'AWS_shard_list');
  assert.is(compoundName([nameOf('String'), nameOf('Book')], 'map').camel, 'StringBookMap');
});

test.run();
