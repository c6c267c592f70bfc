// A simulated cloud that is a process of its own. It misfires by itself.
import type { ServedCall } from '../../../../adapters/simulated/openstack/mod.ts';
import type { Clock } from '../../../../bus/mod.ts';
import { startProxy } from '../../../bus/proxy.ts';
import { startChild } from '../../child.ts';
import type { Served } from './cloud.process.ts';
import type { Cloud, CloudListener } from './cloud.ts';

const TOKEN_LIFETIME_MS = 20_000;
const LATENCY_MS = 30;
const CLOUD_NAME = 'openstack';
const POD_USER = 'admin';
/** Whose password nobody changes: the test's own user. */
const OWN_USER = 'auditor';

export async function simulatedCloud({ clock, onServed }: { clock: Clock } & CloudListener): Promise<Cloud> {
  let port = 0;
  const way = await startProxy('127.0.0.1', () => port);
  const publicOrigin = `http://127.0.0.1:${way.port}`;
  const child = await startChild<Served, number, ServedCall>(
    new URL('./cloud.process.ts', import.meta.url),
    [publicOrigin, TOKEN_LIFETIME_MS, LATENCY_MS].map(String),
    onServed,
  );
  port = child.hello;
  const { call } = child;
  const ownPassword = `own-${clock.random().toString(36).slice(2)}`;
  await call.addUser(OWN_USER, ownPassword);
  const authUrl = `${publicOrigin}/identity/v3`;
  const cloudsYaml = (username: string, password: string): string => {
    const names = { project_name: 'admin', user_domain_name: 'Default', project_domain_name: 'Default' };
    const entry = { auth: { auth_url: authUrl, username, password, ...names }, region_name: 'RegionOne' };
    return JSON.stringify({ clouds: { [CLOUD_NAME]: entry } });
  };
  return {
    name: 'the simulated cloud',
    way,
    ownCloudsYaml: cloudsYaml(OWN_USER, ownPassword),
    cloudName: CLOUD_NAME,
    authUrl,
    podUser: POD_USER,
    cloudsYaml: (password) => cloudsYaml(POD_USER, password),
    inject: call.inject,
    clear: call.clear,
    expireTokens: call.expireTokens,
    async setPassword(password) {
      await call.setPassword(POD_USER, password);
      await call.expireTokens();
    },
    async close() {
      await way.close();
      await child.kill();
    },
  };
}
