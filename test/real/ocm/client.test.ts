// needs: nothing
// The real public command line against a served model.
import { suite } from 'uvu';
import { findOcm, ocmClientSuite } from '../../adapters/ocm/gateway/ocm-client.suite.ts';

const program = await findOcm(process.env);

if (program === undefined) {
  process.stdout.write('skipped: there is no ocm on the PATH, nor does OCM_CLIENT name one\n');
} else {
  const test = suite('the ocm client, real');
  ocmClientSuite(test, program);
  test.run();
}
