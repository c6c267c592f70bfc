// One part of a benchmark in a process of its own, so that its processor time and memory are its own: forked as
// `part.ts api|cloud|actors <options in JSON>`. It says what it is once it serves, and answers questions until its parent
// is gone.
import { type PartName, type Question, serve } from './parts/mod.ts';

const [name, options = '{}'] = process.argv.slice(2);
const part = await serve(name as PartName, JSON.parse(options));
process.on('disconnect', () => process.exit());
process.on('message', ({ id, question }: { readonly id: number; readonly question: Question }) => {
  void (async () => {
    const value = await part.answer(question);
    process.send?.({ id, value });
  })();
});
process.send?.({ info: part.info });
