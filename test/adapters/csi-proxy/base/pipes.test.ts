// long
// The csi-proxy on what this system has for pipes: Unix sockets, or named pipes. test/real/csi-proxy runs the same file on
// real named pipes where there is no Windows.
import { suite } from 'uvu';
import { allGroupsSuite } from '../all-groups.suite.ts';
import { connectionSuite } from '../client/open-connection.suite.ts';
import { serverSuite } from '../server/csi-proxy-server.suite.ts';

const test = suite('csi-proxy pipes');
connectionSuite(test);
serverSuite(test);
allGroupsSuite(test);
test.run();
