// What is made of the manifests' sources.
import type { Change } from '../change.ts';

export const DEPLOY: readonly Change[] = [
  {
    file: 'deploy/render/choices.ts',
    breaks: 'an object is there under combinations that its condition does not say',
    from: 'if (there.size !== 2 ** (choices.length - when.size)) {',
    to: 'if (there.size === 0) {',
    tests: ['test/deploy/choices.test.ts'],
  },
  {
    file: 'deploy/render/go-template.ts',
    breaks: 'braces of a manifest are read as an action',
    from: "text.replaceAll('{{', '{troupeBraces')",
    to: 'text',
    tests: ['test/deploy/go-template.test.ts'],
  },
  {
    file: 'deploy/render/sums.ts',
    breaks: 'a file that has gone is not missed',
    from: 'then.symmetricDifference(now)',
    to: 'now.difference(then)',
    tests: ['test/deploy/generated.test.ts'],
  },
  {
    file: 'deploy/manifests.ts',
    breaks: 'who views may write',
    from: 'rule(group, plurals, READ)',
    to: 'rule(group, plurals, WRITE)',
    tests: ['test/deploy/generated.test.ts'],
  },
  {
    file: 'deploy/node-pods.ts',
    breaks: 'each Windows node reads the Secrets of the whole cluster',
    from: 'rules.filter((rule) => !ofSecrets.includes(rule))',
    to: 'rules',
    tests: ['test/deploy/generated.test.ts'],
  },
];
