// long
// No secret anywhere, on nats-server if one can be had, else with everything in this process; applied with kubectl if there is one.
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import { findNatsServer, inMemory, onNats, onSockets } from '../world/environments.ts';
import { describeKindsSecrets } from './kinds-secrets.suite.ts';
import { describeSecrets } from './secrets.suite.ts';

const test = suite('secrets');
const found = await findNatsServer();
const ground = 'program' in found ? onNats(found.program) : undefined;
if (spawnSync('kubectl', ['version', '--client']).status !== 0)
  console.log('without kubectl: there is none on the PATH');
else describeSecrets(test, ground ?? onSockets);
describeKindsSecrets(test, ground ?? inMemory);
test.run();
