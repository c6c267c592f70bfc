// The users of a NATS server, as its configuration has them: known by public keys, each with what it may.
import { nkeys } from '@nats-io/transport-node';
import { type BusUser, permissionsOf } from './permissions.ts';
import { ROOT } from './subjects.ts';

/** A user, and the keys that it is known by: several while they are replaced. */
export interface KnownUser extends BusUser {
  readonly publicKeys: readonly string[];
}

/** Time in which a request may be answered: longer than any call may take. */
const ANSWERS_WITHIN = '10m';

/** The seed of a new key of a user. */
export function newSeed(): string {
  return new TextDecoder().decode(nkeys.createUser().getSeed());
}

/** The public key of a seed. @throws {Error} it is none of a user */
export function publicKeyOf(seed: string): string {
  const key = nkeys.fromSeed(new TextEncoder().encode(seed.trim())).getPublicKey();
  if (key.startsWith('U')) return key;
  throw new Error('it is the seed of no user');
}

/** Permissions part of nats-server's configuration: `include` it. The same users give the same text. */
export function serverUsers(users: readonly KnownUser[], root: string = ROOT): string {
  const lines = users.flatMap((user) => {
    const { publish, notPublish, subscribe, answers } = permissionsOf(user, root);
    return user.publicKeys.map((nkey) =>
      [
        `    # ${[user.name, user.node].filter((part) => part !== undefined).join(' on node ')}`,
        '    {',
        `      nkey: ${JSON.stringify(nkey)}`,
        '      permissions: {',
        `        publish: { allow: ${list(publish)}${notPublish.length === 0 ? '' : `, deny: ${list(notPublish)}`} }`,
        `        subscribe: { allow: ${list(subscribe)} }`,
        // mutant: answers-over-and-over ` -> $.replace('max: 1', 'max: 9')
        ...(answers ? [`        allow_responses: { max: 1, expires: ${JSON.stringify(ANSWERS_WITHIN)} }`] : []),
        '      }',
        '    }',
      ].join('\n'),
    );
  });
  return [
    '# Made by `troupe bus credentials`; changes made here are lost.',
    'authorization {',
    '  users: [',
    ...lines,
    '  ]',
    '}',
    '',
  ].join('\n');
}

function list(subjects: readonly string[]): string {
  return `[${[...subjects]
    .sort()
    .map((subject) => JSON.stringify(subject))
    .join(', ')}]`;
}
