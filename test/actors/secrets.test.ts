// long
// waits
// limit: 240 s
// No secret anywhere, with everything in this process, and on nats-server if one can be had. Needs kubectl.
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import { findNatsServer, inMemory, onNats } from '../world/environments.ts';
import { describeKindsSecrets } from './kinds-secrets.suite.ts';
import { describeSecrets } from './secrets.suite.ts';

if (spawnSync('kubectl', ['version', '--client']).status !== 0) {
  console.log('skipped: there is no kubectl on the PATH');
} else {
  const test = suite('secrets');
  const found = await findNatsServer();
  for (const describe of [describeSecrets, describeKindsSecrets]) {
    describe(test, inMemory);
    if ('program' in found) describe(test, onNats(found.program));
  }
  test.run();
}
