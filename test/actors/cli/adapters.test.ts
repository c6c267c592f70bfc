// What is told of an adapter before it runs: `troupe check`, `troupe rbac`, `--only-adapters`, and its line of `troupe doctor`.
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { check } from '../../../actors/cli/check/check.ts';
import { rbac } from '../../../actors/cli/rbac/rbac.ts';
import { adaptersOf, BUILT_IN } from '../../../actors/process/adapters.ts';
import { checkAdapter } from '../../../actors/process/check-adapter.ts';
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { lightingAdapter } from '../../../adapters/template/src/mod.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { written } from '../../world/written.ts';

const test = suite('commands about adapters');

const lighting = lightingAdapter({ fetch });

async function told(
  run: (out: NodeJS.WritableStream) => unknown,
): Promise<{ readonly code: unknown; readonly out: string }> {
  let out = '';
  const code = await run(
    written((text) => {
      out += text;
    }),
  );
  return { code, out };
}

test('35.C4: troupe check runs the rules of contracts, and says which parts do not go together', async () => {
  const fine = await told((out) => check({ adapters: [...BUILT_IN, lighting], env: {}, out }));
  assert.equal(fine, { code: 0, out: 'lighting: 1 kind, nothing is wrong\n' });
  const broken: Adapter = { ...lighting, configure: (settings) => ({ ...lighting.configure(settings), kinds: [] }) };
  assert.equal(await checkAdapter(broken), ["Lamp: it has a contract, and 'configure' returns no kind for it"]);
  const bad = await told((out) => check({ adapters: [broken], env: {}, out }));
  assert.equal([bad.code, bad.out.split('\n')[0]], [1, 'lighting: 1 kind, 1 wrong']);
});

interface Document {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const documentsIn = (text: string): readonly Document[] =>
  parseAllDocuments(text).map((each) => each.toJS() as Document);

test('36.7: whom the gateway of models writes as decides its rights; users are impersonated in no namespace', async () => {
  const models = fileURLToPath(new URL('../../../deploy/samples/company-api/models', import.meta.url));
  const printed = async (writesAs: string | undefined, namespaces: readonly string[] | undefined) => {
    const adapters = await adaptersOf({ models, writesAs, builtIn: [] }, '/');
    const { out } = await told((out) => rbac({ adapters, roles: ['ocm'], namespaces, out }));
    return documentsIn(out).map(({ kind, rules }) => [
      kind,
      ...rules.filter(({ apiGroups: [group = ''] }) => !group.endsWith('.k8s.io')).map(({ verbs }) => verbs.join()),
    ]);
  };
  assert.equal(await printed('self', undefined), [['ClusterRole', 'create,delete,get,list,patch,watch']]);
  for (const writesAs of ['caller', undefined]) {
    assert.equal(await printed(writesAs, undefined), [['ClusterRole', 'get,list,watch', 'impersonate']]);
    assert.equal(await printed(writesAs, ['a']), [
      ['Role', 'get,list,watch'],
      ['ClusterRole', 'impersonate'],
    ]);
  }
});

test('35.C4: troupe rbac prints what a process needs, for the cluster or for namespaces, and only of these adapters', async () => {
  const roles = ['watch', 'actors', 'lighting'];
  const whole = await told((out) => rbac({ adapters: [lighting], roles, namespaces: undefined, out }));
  const [role] = documentsIn(whole.out);
  assert.is(role?.kind, 'ClusterRole');
  assert.ok(role?.rules.some(({ apiGroups }) => apiGroups.includes('lighting.example.org')));
  assert.not.match(whole.out, 'openstack');
  const narrow = await told((out) => rbac({ adapters: [lighting], roles, namespaces: ['a', 'b'], out }));
  const documents = documentsIn(narrow.out);
  assert.equal(
    documents.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}`),
    ['Role a', 'Role b', 'ClusterRole '],
  );
  const inNamespace = JSON.stringify(documents.slice(0, 2));
  assert.not.match(inNamespace, 'tokenreviews');
  assert.throws(
    () => rbac({ adapters: [lighting], roles, namespaces: [], out: process.stdout }),
    (error: unknown) => error instanceof TerminalError && error.message.includes('name them with -n'),
  );
});

test('35.C4: --only-adapters leaves out those that come with Troupe', async () => {
  const only = await adaptersOf({ adapters: './adapters/template/src/mod.ts', builtIn: [] }, process.cwd());
  assert.equal(
    only.map(({ realm }) => realm),
    ['lighting'],
  );
  const error = await adaptersOf({ builtIn: [] }, process.cwd()).catch((thrown: unknown) => thrown);
  assert.match((error as Error).message, '--only-adapters leaves no adapter');
});

test.run();
