// No secret anywhere, with everything in this process, and on nats-server if one can be had; applied with kubectl if there is one.
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import { findNatsServer, inMemory, onNats, onSockets } from '../world/environments.ts';
import { describeKindsSecrets } from './kinds-secrets.suite.ts';
import { describeSecrets } from './secrets.suite.ts';

const test = suite('secrets');
const found = await findNatsServer();
if (spawnSync('kubectl', ['version', '--client']).status !== 0) {
  console.log('without kubectl: there is none on the PATH');
} else {
  describeSecrets(test, onSockets);
  if ('program' in found) describeSecrets(test, onNats(found.program));
}
describeKindsSecrets(test, inMemory);
if ('program' in found) describeKindsSecrets(test, onNats(found.program));
test.run();
