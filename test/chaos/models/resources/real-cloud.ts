// A real cloud, which others use too: the pods reach it through a gateway. Tokens expire and passwords change at Keystone
// itself, where the pods have a user of their own, which is gone at the end.
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { openStackSessions, type Session } from '../../../../adapters/openstack/mod.ts';
import type { Clock, JsonObject } from '../../../../bus/mod.ts';
import type { Cloud } from './cloud.ts';
import { type CloudGatewayDeps, cloudGateway } from './cloud-gateway.ts';

export interface RealCloudDeps extends Omit<CloudGatewayDeps, 'authUrl'> {
  /** A file with an entry of an administrator who has a password. */
  cloudsFile: string;
  cloudName: string;
}

type Auth = Readonly<Record<string, string>>;
type Ask = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: JsonObject,
) => Promise<JsonObject>;

const CALL_MS = 20_000;

export async function realCloud({ cloudsFile, cloudName, ...deps }: RealCloudDeps): Promise<Cloud> {
  const { clock } = deps;
  const text = await readFile(cloudsFile, 'utf8');
  const { clouds } = parse(text) as { readonly clouds: Readonly<Record<string, { readonly auth: Auth }>> };
  const entry = clouds[cloudName];
  if (entry?.auth['password'] === undefined || entry.auth['auth_url'] === undefined)
    throw new Error(`${cloudsFile} must have an entry '${cloudName}' with 'auth_url' and 'password'`);
  const data = { 'clouds.yaml': Buffer.from(text).toString('base64') };
  const sessions = openStackSessions({
    clock,
    version: '0',
    readSecret: async () => ({ uid: 'uid', resourceVersion: '1', data }),
  });
  const session = await sessions.open('ns', { secretName: 'secret', cloudName }, '1', clock.now() + CALL_MS);
  const ask = asking(session, clock);
  const podUser = `troupe-chaos-${clock.random().toString(36).slice(2)}`;
  const user = await makeUser(ask, entry.auth, podUser);
  const gateway = await cloudGateway({ ...deps, authUrl: entry.auth['auth_url'] });
  let password = '';
  const setPassword = async (value: string): Promise<void> => {
    await ask('PATCH', `/users/${user}`, { user: { password: value } });
    password = value;
  };
  return {
    name: 'a real cloud',
    way: gateway.way,
    ownCloudsYaml: text,
    cloudName,
    authUrl: gateway.authUrl,
    podUser,
    cloudsYaml(password) {
      const { username: _, user_id: __, user_domain_name: ___, user_domain_id: ____, ...auth } = entry.auth;
      const theirs = { ...auth, auth_url: gateway.authUrl, user_id: user, password };
      return JSON.stringify({ clouds: { [cloudName]: { ...entry, auth: theirs } } });
    },
    inject: async (fault) => gateway.inject(fault),
    clear: async () => gateway.clear(),
    // Keystone takes back all tokens that were given for a password, also when the new one is the old one.
    expireTokens: () => setPassword(password),
    setPassword,
    async close() {
      await gateway.close();
      await ask('DELETE', `/users/${user}`);
      await sessions.close();
    },
  };
}

/** An administrator like the one of the entry. @returns its id */
async function makeUser(ask: Ask, auth: Auth, name: string): Promise<string> {
  const one = async (plural: string, name: string): Promise<string> => {
    const found = (await ask('GET', `/${plural}`))[plural] as readonly { readonly id: string; readonly name: string }[];
    const named = found.find((each) => each.name === name);
    if (named === undefined) throw new Error(`the cloud has nothing named '${name}' among its ${plural}`);
    return named.id;
  };
  const project = auth['project_id'] ?? (await one('projects', auth['project_name'] ?? ''));
  const role = await one('roles', 'admin');
  const { user } = await ask('POST', '/users', { user: { name, enabled: true } });
  const { id } = user as { readonly id: string };
  await ask('PUT', `/projects/${project}/users/${id}/roles/${role}`);
  return id;
}

function asking(session: Session, clock: Clock): Ask {
  return async (method, path, body) => {
    const deadlineAt = clock.now() + CALL_MS;
    const call = {
      service: 'identity',
      method,
      path,
      deadlineAt,
      traceparent: `00-${'c'.repeat(32)}-${'c'.repeat(16)}-01`,
    };
    return (await session.call(body === undefined ? call : { ...call, body })).body;
  };
}
