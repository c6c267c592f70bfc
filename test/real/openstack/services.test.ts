// needs: openstack
// The answers of real services: those of cloud $OS_CLOUD (`test`) in the file $OS_CLIENT_CONFIG_FILE.
import { readFileSync } from 'node:fs';
import { systemClock } from '../../../actors/base/clock.ts';
import { openStackSessions } from '../../../adapters/openstack/client/sessions.ts';
import { type OpenCloud, servicesSuite } from '../../adapters/openstack/services.suite.ts';

const REQUEST_LIMIT_MS = 20_000;

/** Opens a session, and removes at the end the security groups that Neutron makes for each project with a network. */
async function open(file: string, cloudName: string): Promise<OpenCloud> {
  const clock = systemClock();
  const data = { 'clouds.yaml': readFileSync(file).toString('base64') };
  const sessions = openStackSessions({
    clock,
    version: '0.0.0',
    readSecret: async () => ({ uid: 'uid', resourceVersion: '1', data }),
  });
  const session = await sessions.open('test', { secretName: 'test', cloudName }, '1', clock.now() + REQUEST_LIMIT_MS);
  return {
    session,
    clock,
    async close() {
      const call = {
        service: 'network',
        deadlineAt: clock.now() + REQUEST_LIMIT_MS,
        traceparent: `00-${'7'.repeat(32)}-${'7'.repeat(16)}-01`,
      };
      const groups = await session.list({ ...call, path: '/security-groups' }, 'security_groups');
      for (const { id, project_id: projectId } of groups) {
        if (!String(projectId).startsWith('simcheck-')) continue;
        await session.call({ ...call, method: 'DELETE', path: `/security-groups/${id}` });
      }
      await sessions.close();
    },
  };
}

const file = process.env['OS_CLIENT_CONFIG_FILE'];
if (file === undefined) {
  process.stdout.write('skipped: OS_CLIENT_CONFIG_FILE is not set\n');
} else {
  servicesSuite('real services', () => open(file, process.env['OS_CLOUD'] ?? 'test')).run();
}
