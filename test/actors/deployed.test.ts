// The rules of deploy/ are enough for the life of objects, and no more is asked for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inMemory } from '../world/environments.ts';
import { checkIn } from '../world/world.ts';
import { deployed } from './deployed.ts';
import { comeAndGo } from './landscape.ts';

const test = suite('deployed in memory');

checkIn(test, deployed(inMemory, { withKubectl: false }))(
  'objects come and go under the rules of the service account',
  async (world) => {
    await comeAndGo(world);
    const refused = world.logs.filter((line) => JSON.stringify(line).includes('forbidden'));
    assert.equal(refused, []);
  },
);

test.run();
