// The lock file must install on every platform, from any registry.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const test = suite('package-lock.json');
const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

test('no optional package of another platform is left out', () => {
  // npm drops those that were not installed when it rewrites the file beside a node_modules of its own; `npm ci` then
  // refuses it, or installs half of a tool elsewhere.
  const missing = Object.values(lock.packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`)));
  assert.equal(missing, []);
});

test('it names digests, not registries', () => {
  for (const [path, { resolved, integrity }] of Object.entries(lock.packages)) {
    if (path === '') continue;
    assert.is(resolved, undefined, path);
    assert.match(integrity ?? '', /^sha512-/, path);
  }
});

test.run();
