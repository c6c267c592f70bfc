// Calls through one pipe, for whoever runs this file on Windows.
import { suite } from 'uvu';
import { connectionSuite } from '../../adapters/csi-proxy/client/open-connection.suite.ts';

const test = suite('one pipe');
connectionSuite(test);
test.run();
