// The cluster manager's model language: what its tools never do to files, and where they stop.
import type { Change } from '../change.ts';

export const OCM: readonly Change[] = [
  {
    file: 'adapters/ocm/model/encoding.ts',
    breaks: 'what is not UTF-8 is written back with replacement characters',
    from: 'fault: isUtf8(buffer) ? undefined : faultOf(file, buffer, text)',
    to: 'fault: undefined',
    tests: ['test/adapters/ocm/hostile-files.test.ts'],
  },
  {
    file: 'adapters/ocm/model/lexer.ts',
    breaks: 'a file whose notes mean something else when laid out is laid out',
    from: "if (text[end] === '\\r' && !endsLine(end)) {",
    to: 'if (false) {',
    tests: ['test/adapters/ocm/hostile-files.test.ts'],
  },
  {
    file: 'adapters/ocm/model/check-tree.ts',
    breaks: 'more URLs than anybody can write down are no error',
    from: 'if (total <= MOST_WAYS && total + ways > MOST_WAYS) {',
    to: 'if (false) {',
    tests: ['test/adapters/ocm/semantic-errors.test.ts'],
  },
  {
    file: 'actors/cli/model/manifest.ts',
    breaks: 'K1: what somebody changed goes with what was written',
    from: '(hashOf(text) === entry.sha256 ? ours : changed).push(file)',
    to: 'ours.push(file)',
    tests: ['test/adapters/ocm/pipelines.test.ts'],
  },
  {
    file: 'actors/cli/model/manifest.ts',
    breaks: 'K3: a manifest takes away what is outside of the output',
    from: "return !below.startsWith('..') && below",
    to: 'return below',
    tests: ['test/adapters/ocm/pipelines.test.ts'],
  },
  {
    file: 'adapters/ocm/docs/html.ts',
    breaks: 'H2: a link of a model runs a script',
    from: '.test(target)) return escaped(whole);',
    to: ".test(target) && target === '') return escaped(whole);",
    tests: ['test/adapters/ocm/docs.test.ts'],
  },
];
