// The rules of the HTTP contract over objects of Kubernetes, with their actors.
import { suite } from 'uvu';
import { embeddedInRealTime } from '../kinds/world.ts';
import { conformanceSuite } from './conformance.suite.ts';
import { sharedStores } from './kubernetes.suite.ts';

const stores = sharedStores(embeddedInRealTime);
conformanceSuite('kubernetes', stores.make);

const test = suite('conformance over kubernetes');
test('what was opened is closed', () => stores.close());
test.run();
