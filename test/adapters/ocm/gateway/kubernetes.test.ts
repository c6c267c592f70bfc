import { embeddedGround } from '../kinds/world.ts';
import { kubernetesStoreSuite } from './kubernetes.suite.ts';

kubernetesStoreSuite('embedded', embeddedGround);
