// long
// The server seen by the real kubectl. Without one on the PATH there is nothing to test, and one line says so.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { type Harness, withServer } from '../../../world/api-calls.ts';
import { WIDGETS, widget } from './widgets.ts';

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return false;
    throw error;
  }
}

const REFERENCE = new URL('../../../../../shared/reference/openstack-crds/', import.meta.url);
const test = suite('embedded api server: kubectl');

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a test with a kubectl of its own home, cache and kubeconfig. */
function withKubectl(
  run: (kubectl: (line: string, input?: unknown) => Promise<Outcome>) => Promise<void>,
): () => Promise<void> {
  return withServer(async ({ server }: Harness) => {
    const home = mkdtempSync(join(tmpdir(), 'kubectl-'));
    const config = join(home, 'config');
    writeFileSync(config, server.kubeconfig(), { mode: 0o600 });
    const kubectl = (line: string, input?: unknown): Promise<Outcome> =>
      new Promise((resolve) => {
        const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: config };
        const child = execFile('kubectl', line.split(' '), { env, timeout: 30_000 }, (error, out, err) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
          resolve({ code, out, err });
        });
        child.stdin?.end(input === undefined ? '' : stringify(input));
      });
    try {
      await run(kubectl);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }, 'sockets');
}

const inNamespace = (object: Record<string, unknown>, namespace: string): Record<string, unknown> => ({
  ...object,
  metadata: { ...(object['metadata'] as object), namespace },
});

test(
  'a definition is applied, waited for, explained, and found by its short name and category',
  withKubectl(async (kubectl) => {
    assert.is(
      (await kubectl('apply -f -', WIDGETS)).out,
      'customresourcedefinition.apiextensions.k8s.io/widgets.example.org created\n',
    );
    const waited = await kubectl('wait --for=condition=Established crd/widgets.example.org --timeout=10s');
    assert.is(
      waited.out,
      'customresourcedefinition.apiextensions.k8s.io/widgets.example.org condition met\n',
      waited.err,
    );
    assert.is(
      (await kubectl('apply -f -', WIDGETS)).out,
      'customresourcedefinition.apiextensions.k8s.io/widgets.example.org unchanged\n',
    );
    await kubectl('apply -f -', inNamespace(widget('w'), 'default'));
    assert.match((await kubectl('get wi')).out, /^NAME +SIZE +READY +IPS\nw +3 *\n$/);
    assert.match((await kubectl('get things -o name')).out, 'widget.example.org/w');
    assert.match((await kubectl('explain widget.spec.size')).out, 'FIELD: size <integer>');
  }),
);

test(
  'an object is applied, changed, refused, patched, waited for and deleted',
  withKubectl(async (kubectl) => {
    await kubectl('apply -f -', WIDGETS);
    assert.is((await kubectl('apply -f -', widget('w'))).out, 'widget.example.org/w created\n');
    assert.is((await kubectl('apply -f -', widget('w'))).out, 'widget.example.org/w unchanged\n');
    assert.is((await kubectl('apply -f -', widget('w', { size: 4 }))).out, 'widget.example.org/w configured\n');
    const invalid = await kubectl('apply -f -', widget('w', { size: 40 }));
    assert.is(invalid.code, 1);
    assert.match(
      invalid.err,
      'The Widget "w" is invalid: spec.size: Invalid value: 40: spec.size in body should be less than or equal to 10',
    );
    const unknown = await kubectl('create -f -', widget('v', { foo: 1 }));
    assert.match(unknown.err, 'strict decoding error: unknown field "spec.foo"');
    const status = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    const patched = await kubectl(`patch widget w --subresource=status --type=merge -p ${JSON.stringify(status)}`);
    assert.is(patched.out, 'widget.example.org/w patched\n', patched.err);
    assert.is(
      (await kubectl('wait --for=condition=Ready widget/w --timeout=10s')).out,
      'widget.example.org/w condition met\n',
    );
    const json = JSON.stringify([{ op: 'replace', path: '/spec/size', value: 7 }]);
    assert.is((await kubectl(`patch widget w --type=json -p ${json}`)).code, 0);
    assert.is((await kubectl('get widget w -o jsonpath={.spec.size}')).out, '7');
    assert.match((await kubectl('get widget w -o yaml')).out, /\n {2}size: 7\n/);
    assert.is((await kubectl('label widget w a=b')).out, 'widget.example.org/w labeled\n');
    assert.match((await kubectl('describe widget w')).out, 'Kind:         Widget');
    // Newer ones say from where.
    assert.match((await kubectl('delete widget w --timeout=10s')).out, /^widget\.example\.org "w" deleted/);
  }),
);

test(
  'server-side apply conflicts and is forced',
  withKubectl(async (kubectl) => {
    await kubectl('apply -f -', WIDGETS);
    assert.is(
      (await kubectl('apply --server-side -f -', widget('w'))).out,
      'widget.example.org/w serverside-applied\n',
    );
    const other = await kubectl('apply --server-side --field-manager=other -f -', widget('w', { size: 5 }));
    assert.is(other.code, 1);
    assert.match(other.err, 'Apply failed with 1 conflict: conflict with "kubectl": .spec.size');
    assert.is(
      (await kubectl('apply --server-side --field-manager=other --force-conflicts -f -', widget('w', { size: 5 })))
        .code,
      0,
    );
  }),
);

test(
  'what was applied by the client may be applied by the server',
  withKubectl(async (kubectl) => {
    await kubectl('apply -f -', WIDGETS);
    await kubectl('apply -f -', widget('w', { options: { a: '1' } }));
    const { code, err } = await kubectl('apply --server-side -f -', widget('w', { size: 5 }));
    assert.is(code, 0, err);
    assert.is((await kubectl('get widget w -o jsonpath={.spec.options}')).out, '');
  }),
);

test(
  'built-in objects are created from arguments and from files',
  withKubectl(async (kubectl) => {
    assert.is((await kubectl('create namespace n')).out, 'namespace/n created\n');
    assert.is((await kubectl('-n n create secret generic s --from-literal=a=b')).out, 'secret/s created\n');
    assert.is((await kubectl('-n n create configmap c --from-literal=a=b')).out, 'configmap/c created\n');
    assert.is((await kubectl('-n n create serviceaccount a')).out, 'serviceaccount/a created\n');
    assert.match((await kubectl('-n n get secret')).out, /^NAME +TYPE +DATA +AGE\ns +Opaque +1 +\d+s\n$/);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 't' }, stringData: { a: 'x' } };
    assert.is((await kubectl('apply -f -', secret)).out, 'secret/t created\n');
    assert.is((await kubectl('apply -f -', { ...secret, stringData: { b: 'hello' } })).out, 'secret/t configured\n');
    assert.match((await kubectl('get ns')).out, /\nn +Active /);
    assert.is((await kubectl('delete namespace n --timeout=20s')).out, 'namespace "n" deleted\n');
  }),
);

test(
  'the definitions of others are applied in one go',
  withKubectl(async (kubectl) => {
    if (!existsSync(REFERENCE)) return;
    const files = readdirSync(REFERENCE).filter((name) => name.endsWith('.yaml'));
    const { out, err } = await kubectl(`apply --server-side -f ${fileURLToPath(REFERENCE)}`);
    assert.is(out.match(/serverside-applied/g)?.length, files.length, err);
    const waited = await kubectl('wait --for=condition=Established crd --all --timeout=20s');
    assert.is(waited.out.match(/condition met/g)?.length, files.length, waited.err);
  }),
);

if (hasKubectl()) test.run();
else process.stdout.write('skipped: there is no kubectl on the PATH\n');
