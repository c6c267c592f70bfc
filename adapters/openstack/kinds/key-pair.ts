// KeyPair: a public key that Nova puts on servers. Its name is its id, and is unique among those of one user.
import type { JsonObject } from '../../../bus/bus.ts';
import { required, string } from '../../api/contract/contract.ts';
import { compared, isJsonObject, named, observed, sent } from '../base/fields.ts';
import { NOVA } from '../base/services.ts';
import { openstackName, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

/** The longest public key, in characters. */
const KEY_LENGTH = 16384;

export const keyPair = defineKind({
  kind: 'KeyPair',
  description: 'KeyPair is a public key in Nova, which servers are made with.',
  service: NOVA,
  collection: 'os-keypairs',
  member: 'keypair',
  members: 'keypairs',
  unwrapped: underName,
  unique: 'user',
  words: { creating: 'creating Keypair' },
  importId: string('id is the name of a key pair that exists; one that does not is an error that is not tried again.', {
    maxLength: 1024,
  }),
  resource: {
    name: named(openstackName('name is what Nova calls the key pair; the name of the object unless stated.'), {
      update: 'ignored',
    }),
    type: sent('type', string('type is `ssh` or `x509`; `ssh` unless stated.', { enum: ['ssh', 'x509'] }), {
      update: 'ignored',
    }),
    publicKey: sent(
      'public_key',
      required(string('publicKey is the key, or the certificate.', { minLength: 1, maxLength: KEY_LENGTH })),
      { update: 'ignored' },
    ),
  },
  filter: { name: compared('name', openstackName('name of the key pair.')) },
  status: {
    name: observed('name', text('name in Nova.')),
    fingerprint: observed('fingerprint', text('fingerprint of the public key.')),
    publicKey: observed('public_key', text('publicKey is the key, or the certificate.', { maxLength: KEY_LENGTH })),
    type: observed('type', text('type of the key pair.', { maxLength: 64 })),
  },
  adoption: { query: [], check: ['name'] },
});

/** A list holds each in an object of its own; what Nova calls an id is a number that no request takes. */
function underName(reported: JsonObject): JsonObject {
  const { keypair = reported } = reported;
  return isJsonObject(keypair) && keypair['name'] !== undefined ? { ...keypair, id: keypair['name'] } : reported;
}
