import { suite } from 'uvu';
import { actorSuite } from './actor.suite.ts';
import { embeddedGround } from './world.ts';

const test = suite('modeled objects as actors');
actorSuite(test, embeddedGround);
test.run();
