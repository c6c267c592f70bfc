// How long those wait who wait for a node: all the same, so that one list of nodes serves them all.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LONG_PACE_MS, SHORT_PACE_MS } from '../../../../adapters/ironic/client/pace.ts';
import { outcomeOf } from '../../../../adapters/ironic/steps/outcome.ts';
import type { Ended } from '../../../../adapters/ironic/steps/run-steps.ts';
import { failed, REGISTER, send, stuck, wait, waitForNode } from '../../../../adapters/ironic/steps/step.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import { ErrorType } from '../../../../machines/bare-metal-host/errors.ts';
import type { Outcome } from '../../../../machines/bare-metal-host/outcome.ts';

const test = suite('outcomes of passes');

/** By chance. */
function outcomes(last: Ended<object>['last']): readonly Outcome[] {
  const ended = { last, notes: [], node: undefined, sight: undefined, memory: undefined };
  return [0, 0.3, 0.99].map((random) => outcomeOf(ended, { host: {}, at: 0, random, speed: 1 }));
}

test('whoever waits for a node does so at one of two paces, without chance', () => {
  const paces = (last: Ended<object>['last']): readonly unknown[] => [
    ...new Set(outcomes(last).map((outcome) => (outcome.kind === 'waiting' ? outcome.pollAfterMs : outcome.kind))),
  ];
  assert.equal(paces(send([], 'short')), [SHORT_PACE_MS]);
  assert.equal(paces(send([], 'long')), [LONG_PACE_MS]);
  assert.equal(paces(waitForNode('short', 'it verifies')), [SHORT_PACE_MS]);
  assert.equal(paces(waitForNode('long', 'it deploys')), [LONG_PACE_MS]);
  assert.equal(paces(REGISTER), ['absent']);
});

test('whoever waits for time to pass alone does so with chance', () => {
  const pauses = outcomes(wait('short', 'Ironic is busy')).map(
    (outcome) => outcome.kind === 'pausing' && outcome.afterMs,
  );
  assert.is(new Set(pauses).size, 3);
});

test('credentials are counted when they are others than before, and waits for an image', () => {
  const secret = (credentialsVersion: string): object => ({
    credentials: { name: 'bmc', namespace: 'a' },
    credentialsVersion,
  });
  const measures = (last: Ended<object>['last'], tried?: object, before?: object): unknown =>
    outcomeOf(
      {
        last,
        notes: tried === undefined ? [] : [{ status: { triedCredentials: tried } }],
        node: undefined,
        sight: undefined,
        memory: undefined,
      },
      { host: { status: { triedCredentials: before } } as Host, at: 0, random: 0, speed: 1 },
    ).measures?.map(({ name }) => name);
  const [updated, waited] = ['metal3_credentials_updated_total', 'metal3_waiting_for_preprov_image_total'];
  assert.equal(measures(waitForNode('short', 'it verifies'), secret('2')), [updated]);
  assert.equal(measures(waitForNode('short', 'it verifies'), secret('2'), secret('1')), [updated]);
  assert.is(measures(waitForNode('short', 'it verifies'), secret('2'), secret('2')), undefined);
  assert.is(measures(waitForNode('short', 'it verifies')), undefined);
  assert.equal(measures(wait('preprovisioningImage', 'it is not ready')), [waited]);
  assert.equal(measures(wait('preprovisioningImage', 'it is not ready'), secret('1')), [updated, waited]);
});

test('no message has a password of an image, also where its URL is quoted (IRONIC-OUTCOME-1)', () => {
  const host: Host = {
    spec: { image: { url: 'http://me:hush-1@host/image', checksum: 'http://me:hush%402@host/sum' } },
    status: {
      provisioning: { image: { url: 'http://me:hush-3@host/old' } },
      lastAttemptedImage: { url: 'http://me:hush-4@host/tried' },
    },
  };
  const quoted = 'cannot fetch http://me:hush-1@host/image, http://me:hush@2@host/sum, hush%402, hush-3 and hush-4';
  const hidden = 'cannot fetch http://me:***@host/image, http://me:***@host/sum, ***, *** and ***';
  const told = (last: Ended<object>['last']): readonly unknown[] => {
    const ended = { last, notes: [{ events: [{ reason: 'It', message: quoted }] }], node: undefined, sight: undefined };
    const outcome = outcomeOf({ ...ended, memory: undefined }, { host, at: 0, random: 0, speed: 1 });
    return [outcome.events?.[0]?.message, 'message' in outcome && outcome.message];
  };
  assert.equal(told(failed(ErrorType.Provisioning, quoted)), [hidden, hidden]);
  assert.equal(told(stuck(quoted)), [hidden, hidden]);
  const ended = { last: stuck(quoted), notes: [], node: undefined, sight: undefined, memory: undefined };
  const bare = outcomeOf(ended, { host: {}, at: 0, random: 0, speed: 1 });
  assert.is('message' in bare && bare.message, quoted);
});

test.run();
