// What a spec takes from Secrets: it is sent, waited for where it is not there, and told nobody.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { immutable, object, ref, required } from '../../../../adapters/api/contract/contract.ts';
import { named, observed, sent, sentAs } from '../../../../adapters/openstack/base/fields.ts';
import { KEYSTONE } from '../../../../adapters/openstack/base/services.ts';
import { keystoneName, text } from '../../../../adapters/openstack/base/values.ts';
import { lookUps } from '../../../../adapters/openstack/client/lookups.ts';
import { poller } from '../../../../adapters/openstack/client/poller.ts';
import type { Call } from '../../../../adapters/openstack/client/session.ts';
import { defineKind } from '../../../../adapters/openstack/kinds/kind.ts';
import { referencesOf } from '../../../../adapters/openstack/resource/references.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import { fromErrorData, toErrorData, WaitingError } from '../../../../bus/errors.ts';
import type { OperationRequest } from '../../../../machines/kind.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { withCloud } from '../../../world/openstack.ts';
import { rejection } from '../../../world/rejection.ts';
import { failure } from '../../../world/tenant.ts';
import { NO_DOWNLOADS } from '../no-downloads.ts';

const test = suite('contents of secrets');

const clock = simulatedClock({ seed: 1 });

const password = { key: 'password', what: 'Password', as: 'text' } as const;
const script = { key: 'value', what: 'User data', as: 'base64' } as const;

const plug = defineKind({
  kind: 'Plug',
  description: 'Plug is a thing.',
  service: KEYSTONE,
  collection: 'plugs',
  member: 'plug',
  resource: {
    name: named(keystoneName('name is what it is called.')),
    passwordRef: sent('password', immutable(ref('Secret', 'passwordRef is the password.', { content: password }))),
    script: sentAs(
      immutable(
        object('script is what it runs.', {
          secretRef: required(ref('Secret', 'secretRef is the Secret.', { content: script })),
        }),
      ),
      { user_data: ({ secretRef }) => secretRef },
    ),
  },
  filter: {},
  status: { name: observed('name', text('name of it.')) },
  adoption: { query: ['name'] },
});

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

function request(resource: JsonObject): OperationRequest {
  const cloudCredentialsRef = { secretName: 'clouds', cloudName: 'c' };
  return {
    object: {
      apiVersion: 'openstack.k-orc.cloud/v1alpha1',
      kind: 'Plug',
      metadata: { name: 'n', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 1 },
      spec: { cloudCredentialsRef, managementPolicy: 'managed', resource },
    },
    dependencies: {},
    deadlineAt: clock.now() + 10_000,
    traceparent: 't',
  };
}

/** A cloud that answers with what it is sent, and Secrets with these texts. */
function playing(texts: Texts) {
  const calls: Call[] = [];
  const reads: string[] = [];
  const looks = lookUps({ clock });
  const operations = plug.operations({
    sessions: {
      identify: async () => ({ cloud: 'cloud', scope: 'scope', user: 'user' }),
      open: async () => ({
        list: async () => [],
        userId: async () => 'me',
        async call(call) {
          calls.push(call);
          return { status: 201, body: { plug: { ...((call.body as JsonObject)['plug'] as JsonObject), id: '1' } } };
        },
      }),
    },
    lookUps: looks,
    poller: poller({ clock, lookUps: looks }),
    clock,
    downloads: NO_DOWNLOADS,
    async readSecret(namespace, name) {
      reads.push(`${namespace}/${name}`);
      const known = texts[name];
      if (known === undefined) return undefined;
      const data = Object.entries(known).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
      return { uid: name, resourceVersion: '1', data: Object.fromEntries(data) };
    },
  });
  return { calls, reads, operations };
}

test('a content is sent in place of the name, and is in nothing that is told (OS-SECRET-CONTENTS-1)', async () => {
  const { calls, reads, operations } = playing({
    pass: { password: 'hunter-1' },
    run: { value: '#!/bin/sh hunter-2' },
  });
  const asked = request({ passwordRef: 'pass', script: { secretRef: 'run' } });
  const observation = await operations.create(asked);
  const encoded = Buffer.from('#!/bin/sh hunter-2').toString('base64');
  assert.equal(calls[0]?.body, { plug: { name: 'n', password: 'hunter-1', user_data: encoded } });
  assert.equal(calls[0]?.secrets, ['hunter-1', encoded, '#!/bin/sh hunter-2']);
  assert.equal(reads, ['ns/pass', 'ns/run']);
  assert.not.match(JSON.stringify([observation, asked]), 'hunter');
  assert.not.match(JSON.stringify(observation), encoded);
});

test('base64 is not encoded again, with or without line ends', async () => {
  const encoded = Buffer.from('#!/bin/sh').toString('base64');
  for (const value of [encoded, `${encoded.slice(0, 4)}\n${encoded.slice(4)}\n`]) {
    const { calls, operations } = playing({ run: { value } });
    await operations.create(request({ script: { secretRef: 'run' } }));
    assert.equal(calls[0]?.body, { plug: { name: 'n', user_data: value } });
  }
});

test('a Secret that holds several things is read once', async () => {
  const { calls, reads, operations } = playing({ all: { password: 'hunter-1', value: 'run' } });
  await operations.create(request({ passwordRef: 'all', script: { secretRef: 'all' } }));
  assert.equal(reads, ['ns/all']);
  assert.equal(calls[0]?.secrets, ['hunter-1', Buffer.from('run').toString('base64')]);
});

test('nobody may quote the text either that is sent in base64, whoever encoded it', async () => {
  const text = '#cloud-config hunter-2';
  const base64 = Buffer.from(text).toString('base64');
  const { calls, operations } = playing({
    plain: { value: text },
    encoded: { value: base64 },
    word: { value: 'abcd' },
  });
  for (const secretRef of ['plain', 'encoded', 'word']) await operations.create(request({ script: { secretRef } }));
  // What is the base64 of no text is a text.
  assert.equal(
    calls.map(({ secrets }) => secrets),
    [[base64, text], [base64, text], ['abcd']],
  );
});

test('what is not there is waited for, all of it named, and nothing is sent (OS-SECRET-CONTENTS-2)', async () => {
  const { calls, operations } = playing({ run: { other: 'x', constructor: 'x' } });
  const error = await failure(operations.create(request({ passwordRef: 'pass', script: { secretRef: 'run' } })));
  assert.instance(error, WaitingError);
  assert.is(error.message, 'Waiting for Secret/pass to be created\nUser data secret does not contain "value" key');
  assert.equal(calls, []);
  assert.equal(toErrorData(error).waiting, true);
  assert.instance(fromErrorData(toErrorData(error)), WaitingError);
});

test('the Secret of the credentials is one reference, whatever else it holds', () => {
  const { object: of } = request({ passwordRef: 'clouds', script: { secretRef: 'run' } });
  assert.equal(
    referencesOf(plug, of).map(({ kind, name, neededFor, finalizers }) => [kind, name, neededFor, finalizers.length]),
    [
      ['Secret', 'clouds', 'always', 1],
      ['Secret', 'run', 'create', 0],
    ],
  );
});

test('a service that quotes what it was sent is not quoted', () =>
  withCloud(async ({ open, call, simulator }) => {
    const quoting = { error: { code: 400, message: "Invalid input for field 'name': 'hunter-1' is too long" } };
    simulator.faults.inject({ match: { method: 'POST', path: /^\/domains/ }, status: 400, body: quoting });
    const session = await open();
    const body = { domain: { name: 'hunter-1' } };
    const error = await rejection(session.call(call('POST /domains', { body, secrets: ['hunter-1'] })));
    assert.match(error.message, "'***' is too long");
    assert.not.match(JSON.stringify([error, error.message, error.stack, String(error.cause)]), 'hunter');
  }));

test.run();
