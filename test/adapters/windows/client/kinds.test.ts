// long
// The kinds on machines that are asked by way of csi-proxy, on an embedded API server.
import { suite } from 'uvu';
import { describeKinds } from '../kinds.suite.ts';

const test = suite('kinds of Windows storage by way of csi-proxy');
describeKinds(test, { isPiped: true });
test.run();
