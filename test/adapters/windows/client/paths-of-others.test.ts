// long
// What paths have to do with each other, on machines that are asked by way of csi-proxy.
import { suite } from 'uvu';
import { inWorld } from '../../../world/windows.ts';
import { describePathsOfOthers } from '../paths-of-others.suite.ts';

const test = suite('paths of others by way of csi-proxy');

describePathsOfOthers((title, run) => void test(title, () => inWorld({ isPiped: true }, run)));

test.run();
