// long
// Root causes as they are named, with everything in this process.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openstackWith } from '../../adapters/openstack/mod.ts';
import { onSockets } from '../world/environments.ts';
import { CASES, describeCauses, HOSTING_CASES } from './causes.suite.ts';
import { CONFLICT_CASES } from './conflict-cases.ts';

const test = suite('root causes in memory');
describeCauses(test, onSockets, { ...CASES, ...CONFLICT_CASES, ...HOSTING_CASES });

test('no kind of OpenStack can be paused', () => {
  for (const { kind, life } of openstackWith({}).kinds) assert.is(life.pausedBy, undefined, kind);
});

test.run();
