// The files of a new kind, as `troupe scaffold openstack <Kind>` writes them. Refusing to overwrite is the caller's.
import type { KindScaffold } from '../../api/adapter.ts';

const REGISTRY = 'adapters/openstack/kinds/registry.ts';

export const openstackScaffold: KindScaffold = {
  root: new URL('../../../', import.meta.url),
  registry: REGISTRY,
  example: 'AddressGroup',
  plan: scaffoldKind,
};

/**
 * The files of a new kind of Neutron with a name, a description and tags: they check, and their CRD generates.
 *
 * @param kind  CamelCase: `AddressGroup`
 * @param registry  text of the registry as it is
 * @throws {RangeError} `kind` is not CamelCase, or registered already
 */
export function scaffoldKind(kind: string, registry: string): ReturnType<KindScaffold['plan']> {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) throw new RangeError(`a kind is written in CamelCase; got '${kind}'`);
  const file = kind.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
  const value = kind.charAt(0).toLowerCase() + kind.slice(1);
  const words = file.replaceAll('-', ' ');
  if (registry.includes(`from './${file}.ts'`)) throw new RangeError(`${REGISTRY} knows '${kind}' already`);
  return {
    files: [
      { path: `adapters/openstack/kinds/${file}.ts`, text: kindText({ kind, value, words, file }) },
      { path: `test/adapters/openstack/kinds/${file}.test.ts`, text: testText({ kind, value, words, file }) },
      { path: `deploy/kinds/${file}.example.yaml`, text: exampleText({ kind, value, words, file }) },
    ],
    registry: { path: REGISTRY, text: register(registry, { value, file }) },
  };
}

interface Spelling {
  readonly kind: string;
  /** Name of the exported constant. */
  readonly value: string;
  /** For people. */
  readonly words: string;
  /** Name of the file, without its ending; also of the collection in Neutron. */
  readonly file: string;
}

function kindText({ kind, value, words, file }: Spelling): string {
  return `// ${kind}: a ${words} of Neutron.
import { named, observed, queried, sent, tagged } from '../base/fields.ts';
import { NEUTRON } from '../base/services.ts';
import { neutronTags, observedTags, openstackName, prose, tagFilter, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

export const ${value} = defineKind({
  kind: '${kind}',
  description: '${kind} is a ${words} of Neutron.',
  service: NEUTRON,
  collection: '${file}s',
  member: '${file.replaceAll('-', '_')}',
  resource: {
    name: named(openstackName('name is what Neutron calls it; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about it.'), { unset: '' }),
    tags: tagged(neutronTags('tags of it; others are taken off.')),
  },
  filter: {
    name: queried('name', openstackName('name of it.')),
    description: queried('description', prose('description of it.')),
    ...tagFilter(neutronTags),
  },
  status: {
    name: observed('name', text('name in Neutron.')),
    description: observed('description', text('description in Neutron.'), { omitEmpty: true }),
    tags: observedTags('Neutron', { maxItems: 64 }),
  },
  adoption: { query: ['name'] },
});
`;
}

function testText({ kind, value, words, file }: Spelling): string {
  return `// The tables of ${kind}: what they make of an object, and of an answer.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crd } from '../../../../adapters/api/contract/crds.ts';
import { readFields } from '../../../../adapters/openstack/base/fields.ts';
import { ${value} } from '../../../../adapters/openstack/kinds/${file}.ts';
import { createAttributes } from '../../../../adapters/openstack/resource/desired.ts';
import type { KubeObject } from '../../../../machines/object.ts';

const test = suite('${words}');

test('its CRD generates', () => {
  assert.equal(crd(${value}.contract)['metadata'], { name: '${kind.toLowerCase()}s.openstack.k-orc.cloud' });
});

test('an object without a name has the name of the object', () => {
  const object: KubeObject = {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: '${kind}',
    metadata: { name: 'example', uid: 'uid', resourceVersion: '1' },
    spec: { resource: { description: 'an example' } },
  };
  assert.equal(createAttributes(${value}, object, {}).stated, { name: 'example', description: 'an example' });
});

test('what the cloud returns is what the status says', () => {
  const answer = { name: 'example', description: '', tags: ['a'] };
  assert.equal(readFields(${value}.status, answer), { name: 'example', tags: ['a'] });
});

test.run();
`;
}

function exampleText({ kind, words, file }: Spelling): string {
  return `# The example on the page of ${kind}.
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ${kind}
metadata: { name: ${file}-1 }
spec:
  cloudCredentialsRef: { secretName: openstack-clouds, cloudName: openstack }
  resource: { description: an example of the ${words} }
`;
}

/** Import and entry, each in its alphabetical place. */
function register(registry: string, { value, file }: Pick<Spelling, 'value' | 'file'>): string {
  const lines = registry.split('\n');
  insertSorted(lines, /^import \{ \w+ \} from '\.\/(?!kind\.ts)/, `import { ${value} } from './${file}.ts';`);
  insertSorted(lines, /^ {2}\w+,$/, `  ${value},`);
  return lines.join('\n');
}

function insertSorted(lines: string[], like: RegExp, line: string): void {
  const indices = lines.flatMap((each, index) => (like.test(each) ? [index] : []));
  const next = indices.find((index) => (lines[index] ?? '') > line);
  lines.splice(next ?? (indices.at(-1) ?? lines.length - 1) + 1, 0, line);
}
