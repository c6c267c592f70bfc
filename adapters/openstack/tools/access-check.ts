// Whether clouds can be signed in to with the credentials that objects name: each Secret's cloud once.
import { toErrorData } from '../../../bus/errors.ts';
import { traceparentOf } from '../../../bus/trace-context.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { AccessCheckPorts, AccessCheckResult } from '../../api/adapter.ts';
import type { OwnedSessions, SessionsDeps } from '../client/sessions.ts';
import { adviceOn } from '../resource/hints.ts';

/** Longest sign-in, in milliseconds. */
const SIGN_IN_MS = 15_000;

interface Named {
  readonly namespace: string;
  readonly secretName: string;
  readonly cloudName: string;
  /** One of the objects that name it. */
  readonly by: KubeObject;
}

/** @param open  sessions by what `readSecret` finds; closed at the end */
export async function signIns(
  { clock, objects, readSecret }: AccessCheckPorts,
  open: (readSecret: SessionsDeps['readSecret']) => OwnedSessions,
): Promise<readonly AccessCheckResult[]> {
  const forbidden = new Set<string>();
  const sessions = open(async (namespace, name) => {
    const found = await readSecret(namespace, name);
    if (found !== 'forbidden') return found;
    forbidden.add(`${namespace}/${name}`);
    return undefined;
  });
  const signIn = async ({ namespace, secretName, cloudName, by }: Named): Promise<AccessCheckResult> => {
    const place = `cloud '${cloudName}' of Secret/${secretName} in namespace '${namespace}'`;
    const deadlineAt = clock.now() + SIGN_IN_MS;
    try {
      const session = await sessions.open(namespace, { secretName, cloudName }, undefined, deadlineAt);
      await session.userId({ deadlineAt, traceparent: traceparentOf(by.metadata.uid) });
      return { place };
    } catch (error) {
      const { message } = toErrorData(error);
      if (forbidden.has(`${namespace}/${secretName}`)) {
        const todo = 'look with an account that may read the Secret';
        return { place, problem: { what: 'its Secret may not be read', todo, isUndetermined: true } };
      }
      const advice = adviceOn({ references: () => [] }, by, message);
      const todo = advice?.todo ?? `create Secret/${secretName}, or correct spec.cloudCredentialsRef`;
      return { place, problem: { what: message, todo } };
    }
  };
  try {
    return await Promise.all(namedBy(objects).map(signIn));
  } finally {
    await sessions.close();
  }
}

function namedBy(objects: readonly KubeObject[]): readonly Named[] {
  const named = new Map<string, Named>();
  for (const object of objects) {
    const { secretName, cloudName } = (object.spec?.['cloudCredentialsRef'] ?? {}) as Partial<Named>;
    const { namespace = '' } = object.metadata;
    if (typeof secretName !== 'string' || typeof cloudName !== 'string') continue;
    const key = JSON.stringify([namespace, secretName, cloudName]);
    if (!named.has(key)) named.set(key, { namespace, secretName, cloudName, by: object });
  }
  return [...named.values()];
}
