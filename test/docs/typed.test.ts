// long
// Every command of the documentation that needs nothing but this checkout, as it stands there.
import { suite } from 'uvu';
import { documents, needsClients, typedBlocks } from './blocks.ts';
import { typeDocument } from './typing.ts';

const test = suite('documents');
for (const file of documents()) {
  const blocks = typedBlocks(file);
  if (blocks.length > 0 && !needsClients(blocks)) test(file, () => typeDocument(file));
}
test.run();
