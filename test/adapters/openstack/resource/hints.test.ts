// What is in the way, as messages tell it, and what a person can do about it. That the adapter really says so is in
// `test/actors/failures.suite.ts`.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultOf } from '../../../../adapters/openstack/client/faults.ts';
import { image } from '../../../../adapters/openstack/kinds/image.ts';
import { port } from '../../../../adapters/openstack/kinds/port.ts';
import { routerInterface } from '../../../../adapters/openstack/kinds/router-interface.ts';
import { server } from '../../../../adapters/openstack/kinds/server.ts';
import { unappliedFieldsOf } from '../../../../adapters/openstack/resource/desired.ts';
import { hintOn } from '../../../../adapters/openstack/resource/hints.ts';
import { fromErrorData, TransientError, toAnswerData } from '../../../../bus/errors.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';

const test = suite('advice on objects of OpenStack');

const REFUSED = "POST /ports of service 'network' answered 400: ";

function portWith(
  resource: JsonObject,
  { generation = 1, ...spec }: JsonObject & { generation?: number } = {},
): KubeObject {
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Port',
    metadata: { name: 'web', namespace: 'ns', uid: 'uid', resourceVersion: '1', generation },
    spec: { cloudCredentialsRef: { secretName: 'clouds', cloudName: 'main' }, resource, ...spec },
  };
}

function todo(resource: JsonObject, message: string, spec?: JsonObject): string | undefined {
  return hintOn(port, portWith(resource, spec), message)?.todo;
}

test('what is in the way is told by the beginning of a message, not by the words of a cloud', () => {
  for (const [message, fault] of [
    [`${REFUSED}no`, 'spec'],
    ["adding router interface: PUT /routers/r/add_router_interface of service 'network' answered 400: no", 'spec'],
    ["DELETE /ports/p of service 'network' answered 400: no", undefined],
    ["POST /ports of service 'network' answered 403: forbidden", undefined],
    [`POST /ports of service 'network' answered 500: so said ${REFUSED}no`, undefined],
    ["POST /ports of service 'network' answered 500: authentication answered 401", undefined],
    ["GET /ports of service 'network' failed: connect ECONNREFUSED 127.0.0.1:1", 'unreachable'],
    ["the cloud does not answer: GET /ports of service 'network' was not answered by its deadline", 'unreachable'],
    ["'10.0.0.1' is a private address, which is not allowed for clouds; the operator", 'unreachable'],
    ['authentication answered 503: see what answers', 'unreachable'],
    ['authentication answered 429: see what answers', undefined],
    ["'auth_url' of the cloud is not an HTTP URL", 'credentials'],
    ["'password' is missing in the cloud's 'auth'", 'credentials'],
    [`${REFUSED}no\n${REFUSED}never`, 'spec'],
    [`${REFUSED}no\nPUT /ports/p/tags of service 'network' answered 503: busy`, undefined],
  ] as const)
    assert.is(faultOf(message), fault, message);
});

test('what is in the way travels with the error', () => {
  const data = toAnswerData(new TransientError('x', { fault: 'credentials' }));
  assert.is((fromErrorData(data) as TransientError).fault, 'credentials');
  assert.is((fromErrorData({ ...data, fault: 'else' as never }) as TransientError).fault, undefined);
});

test('33.F2: an object whose deletion cannot end can be released without its resource', () => {
  const message = 'no cloud named: nowhere';
  const deleted = (id?: string): KubeObject => {
    const object = portWith({ networkRef: 'net' });
    const metadata = { ...object.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' };
    return { ...object, metadata, ...(id !== undefined && { status: { id } }) };
  };
  const detach = 'set spec.managedOptions.onDelete of Port/web to detach';
  assert.match(hintOn(port, deleted(), message)?.todo ?? '', `or, if nothing was made, or may stay, ${detach}`);
  assert.match(hintOn(port, deleted('p-1'), message)?.todo ?? '', `or, if p-1 may stay, ${detach}`);
  const dead = "GET /ports of service 'network' failed: connect ECONNREFUSED 127.0.0.1:1";
  assert.match(hintOn(port, deleted(), dead)?.todo ?? '', detach);
  assert.not.match(todo({ networkRef: 'net' }, message) ?? '', 'detach', 'it is not deleted');
  const annotate = 'set annotation troupe/on-delete of Port/web to detach';
  assert.match(hintOn({ references: () => [] }, deleted(), message)?.todo ?? '', annotate, 'it has no such field');
});

test('the field that is refused is the one that the cloud speaks of', () => {
  const addresses = [{ ip: '10.10.1.300', subnetRef: 'front' }];
  const fixed = 'spec.resource.addresses cannot be changed: delete Port/web and create it again';
  assert.is(todo({ networkRef: 'net', addresses, description: 'd' }, `${REFUSED}Invalid input for fixed_ips.`), fixed);
  assert.is(todo({ networkRef: 'net', addresses, description: 'd' }, `${REFUSED}'10.10.1.300' is no address`), fixed);
  assert.is(
    todo({ networkRef: 'net', vnicType: 'odd' }, `${REFUSED}Invalid input for binding:vnic_type.`),
    'correct spec.resource.vnicType',
  );
  const either = 'that cannot be changed: delete Port/web and create it again';
  assert.is(
    todo({ networkRef: 'net', description: 'd' }, `${REFUSED}no`),
    `correct its spec; where it is spec.resource.networkRef that is refused, ${either}`,
  );
  assert.is(
    todo({ networkRef: 'net' }, `${REFUSED}no`),
    'spec.resource.networkRef cannot be changed: delete Port/web and create it again',
  );
  assert.is(
    todo({}, `${REFUSED}no`, { managementPolicy: 'unmanaged', import: { filter: { name: 'x' } } }),
    'correct spec.import',
  );
  assert.is(hintOn(port, portWith({ networkRef: 'net' }), `${REFUSED}no`)?.what, 'the cloud refuses this spec');
  const conflict =
    "invalid configuration creating resource: POST /ports of service 'network' answered 409: 10.10.1.300 in use";
  assert.is(todo({ networkRef: 'net', addresses }, conflict), fixed);
});

test('33.A8: nobody is told to delete what the cloud says to be broken: it may pass, and is looked at again', () => {
  const broken = [
    'Server is in ERROR state',
    'Volume is in error status',
    'Volume is in error_extending status',
    'a glance error occurred while saving image content',
  ];
  for (const message of broken) {
    const object = { ...portWith({}), status: { id: 'id-1' } };
    const said = hintOn(server, object, message)?.todo ?? '';
    assert.match(said, /check in the cloud why id-1 is in that state.*continues automatically/, message);
    assert.not.match(said, /delete/, message);
  }
  const unmanaged = { managementPolicy: 'unmanaged', import: { id: 'x' } };
  assert.is(todo({}, 'referenced resource does not exist in OpenStack', unmanaged), 'correct spec.import.id');
  assert.match(todo({}, 'resource has been deleted from OpenStack', unmanaged) ?? '', /deletes nothing in the cloud/);
});

test('a certificate that nobody signed for, and the credentials of an interface', () => {
  const message = "POST /auth/tokens of service 'identity' failed: self-signed certificate";
  assert.is(todo({}, message), "put the authority that signs for the cloud under the key 'cacert' of Secret/clouds");
  const plug = { ...portWith({}), kind: 'RouterInterface', spec: { routerRef: 'r', subnetRef: 's' } };
  const { at, todo: what } = hintOn(routerInterface, plug, 'authentication answered 401: no') ?? {};
  assert.is(at, 'the credentials of Router/r');
  assert.ok(what?.startsWith("correct 'auth' of the credentials of Router/r: "), what);
  assert.is(
    hintOn(routerInterface, plug, `adding router interface: PUT /routers/r of service 'network' answered 400: no`)
      ?.todo,
    'delete RouterInterface/web and create it again',
  );
});

test('fields that were added later and have no effect', () => {
  const resource = {
    networkID: 'n',
    projectID: 'p',
    fixedIPs: [{ ip: '10.0.0.5', subnetID: 's' }],
    hostID: 'elsewhere',
  };
  const known = { 'Network/net': { id: 'n', ready: true }, 'Subnet/front': { id: 's', ready: true } };
  const ask = (spec: JsonObject, generation = 2): readonly string[] =>
    unappliedFieldsOf(port, portWith(spec, { generation }), resource, known);
  assert.equal(ask({ networkRef: 'net', addresses: [{ ip: '10.0.0.6', subnetRef: 'front' }] }), [
    'spec.resource.addresses',
  ]);
  assert.equal(ask({ addresses: [{ subnetRef: 'front' }] }), []);
  assert.equal(ask({ propagateUplinkStatus: true }), ['spec.resource.propagateUplinkStatus']);
  assert.equal(ask({ propagateUplinkStatus: false }), []);
  // Nobody knows whose id that would be; the cloud moves ports by itself; what can be changed is changed.
  assert.equal(ask({ projectRef: 'owner', hostID: { id: 'here' }, description: 'd' }), []);
  assert.equal(ask({ addresses: [{ ip: '10.0.0.6', subnetRef: 'front' }] }, 1), []);
});

test('a download that fails: where to look, and what cannot be changed', () => {
  const url = 'http://files.example/os.img';
  const os = { ...portWith({ content: { diskFormat: 'raw', download: { url } } }), kind: 'Image' };
  const change = (field: string): string =>
    `; where it is spec.resource.content.download.${field} that is wrong, delete Image/web and create it again`;
  for (const [message, todo] of [
    ["the download from 'files.example' was answered 404", `see that 'files.example' has the file${change('url')}`],
    [
      "the download from 'files.example' was answered 403",
      `let 'files.example' serve the file without a login, or name user and password in the URL${change('url')}`,
    ],
    ["the download from 'files.example' was answered 503", "see that 'files.example' serves the file as a whole"],
    ["the download from 'files.example' has stalled", "see that 'files.example' serves the file as a whole"],
    [
      "the download from 'files.example' is redirected to what is no URL of HTTP or HTTPS",
      `see where 'files.example' redirects requests for the file${change('url')}`,
    ],
    [
      "the download from 'files.example' failed: self-signed certificate",
      "give 'files.example' a certificate that the system trusts; 'cacert' of the credentials is for the cloud alone",
    ],
    [
      "the download from 'files.example' failed: getaddrinfo ENOTFOUND files.example",
      `see that 'files.example' answers where Troupe runs${change('url')}`,
    ],
    [
      "the download is refused: '10.0.0.1' is a private address, which is not allowed for downloads; the operator",
      `let --cloud-allow name '10.0.0.1', or name a host that may be reached${change('url')}`,
    ],
    ['the URL of a download must be one of HTTP or HTTPS', `name the file by a URL of HTTP or HTTPS${change('url')}`],
    [
      'download hash verification failed. got: abc',
      `compare the checksum with the one that the publisher of the file states${change('hash')}`,
    ],
    [
      'the downloaded content cannot be decompressed: it is no bz2 file',
      `see that the file is whole, and what it is compressed with${change('decompress')}`,
    ],
    ['Glance takes no more of the image content', 'see whether the store of Glance is full'],
  ] as const)
    assert.is(hintOn(image, os, message)?.todo, todo, message);
  assert.is(hintOn(image, os, 'Glance is away'), undefined);
  assert.is(hintOn(port, portWith({}), "the download from 'x' has stalled"), undefined);
  const gone = 'see its condition Downloading, and delete Image/web and create it again then';
  assert.is(hintOn(image, os, 'Unable to download content after 5 attempts')?.todo, gone);
});

test.run();
