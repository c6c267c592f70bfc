// needs: kube-programs nats-programs
// Every command of the documentation that needs kubectl or nats, as it stands there; with servers of its own.
import { suite } from 'uvu';
import { documents, needsClients, typedBlocks } from '../../docs/blocks.ts';
import { missingProgram, typeDocument } from '../../docs/typing.ts';

const missing = missingProgram(['kubectl', 'nats', 'nats-server']);
if (missing !== undefined) {
  process.stdout.write(`skipped: there is no ${missing} on the PATH\n`);
} else {
  const test = suite('documents for clients');
  for (const file of documents()) {
    const blocks = typedBlocks(file);
    if (blocks.length > 0 && needsClients(blocks)) test(file, () => typeDocument(file));
  }
  test.run();
}
