// `troupe convert`: files in, text out, and what is told of what could not be converted.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConvertDeps, convert } from '../../../../actors/cli/convert/convert.ts';
import { BUILT_IN } from '../../../../actors/process/adapters.ts';
import { type Said, said } from '../reader.ts';

const test = suite('troupe convert');

const host = (name: string, version: string, spec: string): string =>
  `apiVersion: metal3.io/${version}\nkind: BareMetalHost\nmetadata:\n  name: ${name} # who\nspec:\n  ${spec}\n`;
const ALPHA = host('one', 'v1alpha1', 'online: true\n  rootDeviceHints: {deviceName: /dev/sdb}');
const BETA = host('one', 'v1beta1', 'poweredOn: true\n  rootDeviceHints: {devicePath: /dev/sdb}');
const STRANGE = 'apiVersion: metal3.io/v1alpha1\nkind: Rack\n';

async function* nothing(): AsyncGenerator<string> {
  yield '';
}

interface Scene {
  readonly path: (name: string) => string;
  readonly read: (name: string) => string;
  run(deps: Partial<ConvertDeps>): Promise<Said>;
}

async function withFiles(files: Readonly<Record<string, string>>, run: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-convert-'));
  const path = (name: string): string => join(folder, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text);
  try {
    await run({
      path,
      read: (name) => readFileSync(path(name), 'utf8'),
      run: (deps) =>
        said((streams) =>
          convert({
            adapters: BUILT_IN,
            names: [],
            version: undefined,
            isInPlace: false,
            readFile,
            writeFile,
            input: nothing(),
            ...deps,
            ...streams,
          }),
        ),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('files are printed as one text in the latest version, or in the one that is asked for', () =>
  withFiles({ 'a.yaml': ALPHA.trimEnd(), 'b.yaml': `# of the rack\n---\n${ALPHA}` }, async ({ path, run, read }) => {
    const both = `${BETA}# of the rack\n---\n${BETA}`;
    assert.equal(await run({ names: [path('a.yaml'), path('b.yaml')] }), { code: 0, out: both, notes: '' });
    assert.is((await run({ names: [path('a.yaml'), path('a.yaml')] })).out, `${BETA}---\n${BETA.trimEnd()}`);
    assert.equal(await run({ names: [path('a.yaml')], version: 'v1alpha1' }), {
      code: 0,
      out: read('a.yaml'),
      notes: '',
    });
  }));

test('the way back says the same, comments too, and what v1alpha1 would add by default is kept out', () =>
  withFiles({}, async ({ run }) => {
    const input = (text: string): ConvertDeps['input'] =>
      (async function* () {
        for (const half of [text.slice(0, 30), text.slice(30)]) yield Buffer.from(half);
      })();
    assert.is((await run({ input: input(ALPHA) })).out, BETA);
    const back = `${ALPHA}  hardwareProfile: empty\n`;
    assert.is((await run({ input: input(BETA), version: 'v1alpha1' })).out, back);
    assert.is((await run({ input: input(back) })).out, BETA);
  }));

test('a document that cannot be converted is told with its file and line, and its file is not written', () =>
  withFiles({ 'bad.yaml': `${ALPHA}---\n${STRANGE}`, 'good.yaml': ALPHA, 'done.yaml': BETA }, async (scene) => {
    const { path, run, read } = scene;
    const names = ['bad.yaml', 'good.yaml', 'done.yaml'].map(path);
    const { code, out, notes } = await run({ names, isInPlace: true });
    assert.is(code, 1);
    assert.is(out, '');
    const [problemMessage, written, ...rest] = notes.trimEnd().split('\n');
    assert.match(problemMessage ?? '', /bad\.yaml:\d+: document 2: .*Rack/);
    assert.equal([written, ...rest], [path('good.yaml')], 'what is right already is not written');
    assert.equal(['bad.yaml', 'good.yaml', 'done.yaml'].map(read), [`${ALPHA}---\n${STRANGE}`, BETA, BETA]);
    const printed = await run({ names: [path('bad.yaml')] });
    assert.equal([printed.code, printed.out], [1, `${BETA}---\n${STRANGE}`]);
  }));

test('a text that is neither YAML nor JSON is an error of its own, and - is the standard input', () =>
  withFiles({ 'broken.yaml': `${ALPHA}---\na: [b\n`, 'a.yaml': ALPHA }, async ({ path, run }) => {
    const broken = await run({ names: [path('broken.yaml')] });
    assert.is(broken.code, 2);
    assert.match(broken.notes, /broken\.yaml:\d+: document 2: not valid YAML: Flow sequence .*\n$/);
    assert.not.match(broken.notes, /[A-Z]_[A-Z]/);
    const input = (async function* () {
      yield BETA;
    })();
    assert.equal(await run({ names: [path('a.yaml'), '-'], input }), {
      code: 0,
      out: `${BETA}---\n${BETA}`,
      notes: '',
    });
    const message = await run({ names: ['-'], isInPlace: true }).catch((error: Error) => error.message);
    assert.match(String(message), /^--write needs files/);
  }));

test('a call that makes no sense is told what would', () =>
  withFiles({}, async ({ path, run }) => {
    const refused = async (deps: Partial<ConvertDeps>, what: RegExp): Promise<void> => {
      const message = await run(deps).then(
        () => 'none',
        (error: Error) => error.message,
      );
      assert.match(message, what);
    };
    await refused({ version: 'v2' }, /^--to must be one of v1alpha1, v1beta1; got 'v2'$/);
    await refused({ isInPlace: true }, /^--write needs files/);
    await refused({ names: [path('none.yaml')] }, /none\.yaml' cannot be read: ENOENT/);
  }));

test.run();
