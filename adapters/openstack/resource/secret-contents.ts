// Contents of Secrets that a spec refers to, for the duration of one operation.
//
// Invariants:
//   OS-SECRET-CONTENTS-1. A content is put only into the body of one request, which is never quoted (`Call.secrets`).
//   OS-SECRET-CONTENTS-2. An operation always waits for missing content: objects that refer to a Secret are notified
//       when it changes.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { WaitingError } from '../../../bus/errors.ts';
import type { ServePorts } from '../../api/adapter.ts';
import type { Schema, SecretKey } from '../../api/contract/contract.ts';
import { type Contents, contentKey, eachReference } from './references.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The contents that these fields take from the Secrets that the values name. Each Secret is read once.
 *
 * @throws {WaitingError} says which Secret is not there, or lacks its key (openstack-common, 12.1)
 */
export async function contentsOf(
  fields: Readonly<Record<string, { readonly schema: Schema }>>,
  values: JsonObject,
  namespace: string,
  readSecret: ServePorts['readSecret'],
): Promise<Contents> {
  const wanted = new Map<string, Map<string, SecretKey>>();
  for (const [field, { schema }] of Object.entries(fields)) {
    const value: Json | undefined = values[field];
    if (value === undefined) continue;
    eachReference(schema, value, ({ content }, name) => {
      if (content === undefined) return;
      wanted.set(name, (wanted.get(name) ?? new Map<string, SecretKey>()).set(content.key, content));
    });
  }
  const contents: Record<string, string> = {};
  const waiting: string[] = [];
  for (const [name, keys] of wanted) {
    const secret = await readSecret(namespace, name);
    if (secret === undefined) waiting.push(`Waiting for Secret/${name} to be created`);
    else
      for (const content of keys.values()) {
        const stored = Object.hasOwn(secret.data, content.key) ? secret.data[content.key] : undefined;
        if (stored === undefined) waiting.push(`${content.what} secret does not contain "${content.key}" key`);
        else contents[contentKey(name, content)] = sentAs(content, stored);
      }
  }
  // mutant: secret-content-fails new.0 -> Error
  if (waiting.length > 0) throw new WaitingError(waiting.join('\n'));
  return contents;
}

/** Minimum length of a text whose base64 is redacted: a shorter text may occur in any response. */
const LEAST_TEXT = 6;

/**
 * Parts of a call's body that must not be quoted: contents as they are sent, and the texts that the cloud may have
 * decoded from them.
 */
export function secretsIn(contents: Contents): { readonly secrets?: readonly string[] } {
  const secrets = Object.values(contents).flatMap((content) => [content, ...encodedIn(content)]);
  return secrets.length === 0 ? {} : { secrets };
}

/** The text of which this is the base64; none if it is that of none. */
function encodedIn(content: string): readonly string[] {
  const base64 = content.replace(/[\r\n]/g, '');
  if (!BASE64.test(base64)) return [];
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const isText = Buffer.from(text).toString('base64') === base64;
  return isText && text.length >= LEAST_TEXT ? [text] : [];
}

function sentAs({ as }: SecretKey, stored: string): string {
  const bytes = Buffer.from(stored, 'base64');
  const text = bytes.toString('utf8');
  return as === 'text' || BASE64.test(text.replace(/[\r\n]/g, '')) ? text : bytes.toString('base64');
}
