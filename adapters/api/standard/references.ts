// References as the contract of a kind declares them, and Secrets that objects refer to.
import { TransientError } from '../../../bus/errors.ts';
import type { Reference } from '../../../machines/kind.ts';
import type { Json, KubeObject } from '../../../machines/object.ts';
import type { ServePorts } from '../adapter.ts';
import { ref, required, type Schema } from '../contract/contract.ts';
import type { KindContract } from '../contract/crds.ts';

/**
 * The field that names a Secret of the namespace. The object waits for the Secret, and is looked at again when its content changes.
 *
 * @example apiKeyRef: secretRef('apiKeyRef is the Secret whose key `api-key` is sent with each call.')
 */
export function secretRef(description: string): ReturnType<typeof required<Schema<string>>> {
  return required(ref('Secret', description));
}

/**
 * All references of an object that its contract declares by `ref` and `secretRef`, each once. A `guarded` dependency gets the kind's own
 * finalizer, so that it cannot be deleted before the object; Secrets are required for every operation.
 *
 * @example references: (object) => referencesOf(lampContract, 'lamps.example.org/lamp', object)
 */
export function referencesOf(
  contract: Pick<KindContract, 'spec'>,
  finalizer: string,
  object: KubeObject,
): readonly Reference[] {
  const found = new Map<string, Reference>();
  const note = (schema: Schema, value: Json | undefined, isFixed: boolean): void => {
    if (value === undefined || value === null) return;
    const { reference, properties, items, values } = schema;
    if (reference !== undefined && typeof value === 'string') {
      const { kind, guarded, neededFor = 'create' } = reference;
      const finalizers = guarded ? [reference.finalizer ?? finalizer] : [];
      const isSecret = kind === 'Secret';
      const fixed = isFixed && schema.required && schema.immutable;
      found.set(`${kind}/${value}`, {
        kind,
        name: value,
        finalizers,
        neededFor: isSecret ? 'always' : neededFor,
        ...(fixed && { fixed }),
      });
    }
    if (properties !== undefined && typeof value === 'object' && !Array.isArray(value)) {
      for (const [name, property] of Object.entries(properties)) {
        note(property, (value as Readonly<Record<string, Json>>)[name], isFixed && schema.required);
      }
    }
    if (items !== undefined && Array.isArray(value)) for (const item of value) note(items, item, false);
    if (values !== undefined && typeof value === 'object')
      for (const item of Object.values(value)) note(values, item, false);
  };
  note({ ...contract.spec, required: true }, object.spec as Json | undefined, true);
  return [...found.values()];
}

/**
 * Value of a Secret under a key, as text. Read it for each call: it may change.
 *
 * @throws {TransientError} there is no such Secret, or no such key: the object waits, and names it
 * @example const key = await secretText(ports, object, 'apiKeyRef', 'api-key')
 */
export async function secretText(
  { readSecret }: Pick<ServePorts, 'readSecret'>,
  { metadata, spec }: KubeObject,
  field: string,
  key: string,
): Promise<string> {
  const name = String(spec?.[field] ?? '');
  const secret = await readSecret(metadata.namespace ?? '', name);
  const value = secret?.data[key];
  if (value !== undefined) return Buffer.from(value, 'base64').toString('utf8').trim();
  const what = secret === undefined ? `there is no Secret '${name}'` : `Secret '${name}' has no key '${key}'`;
  throw new TransientError(what, { fault: 'credentials' });
}
