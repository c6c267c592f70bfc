// long
// The suite of the public command line, with a program that stands in for it: what the real one sends, by chapter 9 of the contract.
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import { ocmClientSuite } from './ocm-client.suite.ts';

const test = suite('the ocm client, by a stand-in');
const script = fileURLToPath(new URL('ocm-stand-in.process.ts', import.meta.url));
ocmClientSuite(test, { command: process.execPath, args: ['--disable-warning=ExperimentalWarning', script] });
test.run();
