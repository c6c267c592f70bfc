// long
// The kinds on an embedded API server.
import { suite } from 'uvu';
import { describeKinds } from './kinds.suite.ts';

const test = suite('kinds of Windows storage');
describeKinds(test);
test.run();
