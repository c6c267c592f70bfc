// needs: openstack
// The kinds on a real cloud: OS_CLIENT_CONFIG_FILE names a clouds.yaml, OS_CLOUD an entry (`test`).
import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import { systemClock } from '../../../actors/base/clock.ts';
import { openStackSessions } from '../../../adapters/openstack/client/sessions.ts';
import { describeKinds } from '../../adapters/openstack/kinds.suite.ts';
import type { Cloud } from '../../world/openstack.ts';

const { OS_CLIENT_CONFIG_FILE: file, OS_CLOUD: cloudName = 'test' } = process.env;

if (file === undefined || file === '') {
  console.log('skipped: OS_CLIENT_CONFIG_FILE is not set');
} else {
  const test = suite('kinds on a real cloud');
  describeKinds(test, () => open(file));
  test.run();
}

/** Longest that the images of a cloud may take to be listed, in milliseconds. */
const IMAGES_MS = 20_000;

async function open(path: string): Promise<Cloud> {
  const clock = systemClock();
  const data = { 'clouds.yaml': (await readFile(path)).toString('base64') };
  const sessions = openStackSessions({
    clock,
    version: '0',
    readSecret: async () => ({ uid: 'uid', resourceVersion: '1', data }),
  });
  const imageId = async (): Promise<string> => {
    const deadlineAt = clock.now() + IMAGES_MS;
    const session = await sessions.open('test', { secretName: 'credentials', cloudName }, '1', deadlineAt);
    const call = {
      service: 'image',
      path: '/images',
      query: [['status', 'active']],
      deadlineAt,
      traceparent: '',
    } as const;
    const [image] = await session.list(call, 'images');
    return String(image?.['id']);
  };
  const extras = { Network: {}, Subnet: {} };
  return { sessions, clock, cloudName, extras, imageId, close: () => sessions.close() };
}
