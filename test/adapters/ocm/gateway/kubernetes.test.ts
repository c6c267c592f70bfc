import { suite } from 'uvu';
import { embeddedGround } from '../kinds/world.ts';
import { kubernetesStoreSuite } from './kubernetes.suite.ts';

const test = suite('store in kubernetes');
kubernetesStoreSuite(test, 'embedded', embeddedGround);
test.run();
