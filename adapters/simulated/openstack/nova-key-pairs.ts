// Key pairs of the simulated Nova: each user has their own. Keys are taken, never made.
import { createHash, X509Certificate } from 'node:crypto';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Reply, SimulatedRequest, TokenRecord } from './exchange.ts';
import {
  answerPage,
  checkChoice,
  checkMembers,
  checkName,
  invalid,
  member,
  notAllowed,
  novaRefusal,
} from './nova-answers.ts';
import type { NovaCollection, NovaDeps } from './nova-resource.ts';
import { CollectionName, type Item } from './store.ts';

const SAFE = '_- 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

export function keyPairs({ store, maxPageSize }: NovaDeps): NovaCollection {
  const all = store.collection(CollectionName.KeyPairs);
  const ownOf = ({ userId }: Pick<TokenRecord, 'userId'>): Item[] =>
    [...all.values()]
      .filter((item) => item['user_id'] === userId)
      .sort((one, other) => (String(one['name']) < String(other['name']) ? -1 : 1));
  return (request, speaker) => {
    const [, name] = request.segments;
    if (name === undefined) {
      if (request.method === 'POST') return create(request, speaker);
      if (request.method !== 'GET') throw notAllowed();
      const show = (item: Item): JsonObject => ({ keypair: pick(item, LISTED) });
      // Administrators see those of others.
      const items = ownOf({ userId: request.query.get('user_id') ?? speaker.userId });
      return answerPage(request, { items, key: 'keypairs', marker: 'name', show, maxPageSize });
    }
    const found = ownOf(speaker).find((item) => item['name'] === name);
    if (found === undefined) throw novaRefusal(404, `Keypair ${name} not found for user ${speaker.userId}`);
    if (request.method === 'GET') return { status: 200, body: { keypair: pick(found, [...CREATED, ...KEPT]) } };
    if (request.method !== 'DELETE') throw notAllowed();
    all.delete(String(found['id']));
    return { status: 204 };
  };

  function create(request: SimulatedRequest, speaker: TokenRecord): Reply {
    const given = member(request, 'keypair');
    checkMembers('keypair', given, { required: ['name'], allowed: ['name', 'type', 'public_key', 'user_id'] });
    const name = checkName('name', given['name']);
    if ([...name].some((character) => !SAFE.includes(character))) {
      const rule = 'Only expected characters: [_- 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ]';
      throw novaRefusal(400, `An invalid 'name' value was provided. The name must be: ${rule}`);
    }
    const type = given['type'] === undefined ? 'ssh' : checkChoice('type', given['type'], ['ssh', 'x509']);
    const { public_key: key } = given;
    if (typeof key !== 'string') throw invalid('public_key', key, "None is not of type 'string'");
    const fingerprint = type === 'ssh' ? sshFingerprint(key) : x509Fingerprint(key);
    if (ownOf(speaker).some((item) => item['name'] === name))
      throw novaRefusal(409, `Key pair '${name}' already exists.`);
    const item: Item = {
      id: store.pick(1, 2 ** 31 - 1),
      name,
      type,
      public_key: key,
      fingerprint,
      user_id: speaker.userId,
      created_at: store.now().replace('Z', '.000000'),
      deleted: false,
      deleted_at: null,
      updated_at: null,
    };
    all.set(String(item['id']), item);
    return { status: 201, body: { keypair: pick(item, CREATED) } };
  }
}

const LISTED = ['name', 'public_key', 'fingerprint', 'type'];
const CREATED = [...LISTED, 'user_id'];
const KEPT = ['created_at', 'deleted', 'deleted_at', 'id', 'updated_at'];

function pick(item: Item, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, item[name] ?? null]));
}

function sshFingerprint(key: string): string {
  const [type = '', data = ''] = key.trim().split(' ');
  const bytes = Buffer.from(data, 'base64');
  // The data begin with the type, after its length.
  if (!/^(ssh|ecdsa|sk)-/.test(type) || bytes.toString('latin1', 4, 4 + type.length) !== type)
    throw novaRefusal(400, 'Keypair data is invalid: failed to generate fingerprint');
  return colons(createHash('md5').update(bytes).digest('hex'));
}

function x509Fingerprint(pem: string): string {
  try {
    return new X509Certificate(pem).fingerprint.toLowerCase();
  } catch (error) {
    const why = `failed to generate X509 fingerprint. Error message: ${error instanceof Error ? error.message : error}`;
    throw novaRefusal(400, `Keypair data is invalid: ${why}`);
  }
}

function colons(hex: string): string {
  return hex.match(/../g)?.join(':') ?? '';
}
