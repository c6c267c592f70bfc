// Virtual media of a node, by way of Ironic.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isCdInserted } from '../../../../adapters/ironic/host/data-image.ts';
import { dataImageOperations } from '../../../../adapters/ironic/steps/data-images.ts';
import { TransientError, UnknownOutcomeError, WaitingError } from '../../../../bus/errors.ts';
import { objectOf, withNode } from '../../../world/ironic.ts';
import { rejection } from '../../../world/rejection.ts';

const test = suite('operations on DataImages');

const URL = 'http://x/data.iso';
const image = objectOf('DataImage', { url: URL });

test('a CD goes in and out, and a look tells of it', () =>
  withNode(async ({ ports, ironic, request }) => {
    const operations = dataImageOperations(ports);
    const isIn = async (): Promise<boolean> => {
      const seen = await operations.look(request(image));
      assert.equal([seen.kind, seen.kind === 'read' && seen.problem], ['read', '']);
      return seen.kind === 'read' && isCdInserted(seen.media);
    };
    assert.not(await isIn());
    assert.equal(await operations.attach({ ...request(image), url: URL }), { kind: 'taken' });
    assert.is(ironic.machine('bm1').media, URL);
    assert.ok(await isIn());
    assert.equal(await operations.detach(request(image)), { kind: 'taken' });
    assert.not(await isIn());
  }));

test('what Ironic could not do is told by a look, without the password of the URL', () =>
  withNode(async ({ ports, request }) => {
    const operations = dataImageOperations(ports);
    const url = 'http://me:hush-hush@x/data.missing';
    const secret = objectOf('DataImage', { url });
    assert.equal(await operations.attach({ ...request(secret), url }), { kind: 'taken' });
    const seen = await operations.look(request(secret));
    assert.is(seen.kind, 'read');
    if (seen.kind !== 'read') return;
    assert.match(seen.problem, /^Could not attach device cdrom .*data\.missing/);
    assert.not.match(seen.problem, 'hush');
    assert.not(isCdInserted(seen.media));
  }));

test('a node that is held is busy: nothing is done', () =>
  withNode(async ({ ports, ironic, node, request }) => {
    const operations = dataImageOperations(ports);
    ironic.hold(node);
    assert.equal(await operations.look(request(image)), { kind: 'busy' });
    assert.equal(await operations.attach({ ...request(image), url: URL }), { kind: 'busy' });
    assert.equal(await operations.detach(request(image)), { kind: 'busy' });
    ironic.release(node);
    assert.is(ironic.machine('bm1').media, null);
  }));

test('a refusal is an answer; what may have been done all the same is none', () =>
  withNode(async ({ ports, ironic, request }) => {
    const operations = dataImageOperations(ports);
    const match = { method: 'POST', path: /vmedia/ };
    const body = { error_message: { faultstring: 'Unsupported or missing URL scheme' } };
    ironic.faults.inject({ match, status: 400, body });
    const refused = await operations.attach({ ...request(image), url: URL });
    assert.is(refused.kind, 'refused');
    assert.match(refused.kind === 'refused' ? refused.message : '', 'Unsupported or missing URL scheme');
    ironic.faults.inject({ match, dropAfterWork: true });
    assert.instance(await rejection(operations.attach({ ...request(image), url: URL })), UnknownOutcomeError);
    assert.is(ironic.machine('bm1').media, URL);
  }));

test('an Ironic that cannot tell of virtual media is not asked', () =>
  withNode(
    async ({ ports, request, calls }) => {
      assert.equal(await dataImageOperations(ports).look(request(image)), { kind: 'unsupported' });
      assert.is(calls('GET /nodes/{id}/vmedia'), 0);
    },
    { maxMinor: 92 },
  ));

test('without a node there is nothing to look at', () =>
  withNode(async ({ ports, ironic, request }) => {
    const operations = dataImageOperations(ports);
    assert.instance(await rejection(operations.look({ ...request(image), dependencies: {} })), WaitingError);
    ironic.forget();
    assert.instance(await rejection(operations.look(request(image))), TransientError);
  }));

test.run();
