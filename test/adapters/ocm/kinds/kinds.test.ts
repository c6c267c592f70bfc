// Classes as kinds of the Kubernetes API: names, types, bounds, what becomes the status, parents, and what is refused.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBindings } from '../../../../adapters/ocm/kinds/bindings.ts';
import { customResourceDefinition } from '../../../../adapters/ocm/kinds/definition.ts';
import { propertyOf } from '../../../../adapters/ocm/kinds/fields.ts';
import { bindingsOfAll, bindKinds, type ModelKind } from '../../../../adapters/ocm/kinds/kinds.ts';
import { nameOf } from '../../../../adapters/ocm/model/mod.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import { modelOf } from '../gateway/model.ts';
import { MODELS } from './models.ts';
import { withModelTexts } from './texts.ts';

const test = suite('classes as kinds');

const BOUND = parseBindings(
  `kinds:
- service: fleet_mgmt
  version: v1_alpha1
  class: Cluster
  statusAttributes: [State, Nodes.Ready]
  overrides:
    name: {minLength: 3}
    nodes.compute: {maximum: 500}
    labels: {maxProperties: 7}
- service: fleet_mgmt
  version: v1_alpha1
  class: NodePool
- service: fleet_mgmt
  version: v1_alpha1
  class: Region
  names: {plural: regions, shortNames: [reg], categories: []}
  group: places.example.com
  printerColumns: [{name: Where, type: string, jsonPath: .spec.displayName}]
`,
  'bindings.yaml',
);

function kinds(): Readonly<Record<string, ModelKind>> {
  const { kinds, problems } = bindKinds(modelOf(MODELS), BOUND);
  assert.equal(problems, []);
  return Object.fromEntries(kinds.map((kind) => [kind.kind, kind]));
}

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
const propertiesOf = (schema: JsonObject): JsonObject => schema['properties'] as JsonObject;

test('36.4b: properties are named after the words of an attribute', () => {
  const named = ['MultiAZ', 'AWSNodePool', 'IDs', 'NodeDrainGracePeriod', 'ID', 'Name', 'CPUsList', 'MainIPAddress'];
  assert.equal(
    named.map((name) => propertyOf(nameOf(name))),
    ['multiAZ', 'awsNodePool', 'ids', 'nodeDrainGracePeriod', 'id', 'name', 'cpusList', 'mainIPAddress'],
  );
});

test('36.4b: every type has its schema, and every string, list and map its bound', () => {
  const { Cluster } = kinds();
  const properties = propertiesOf((Cluster as ModelKind).schemas.spec);
  assert.equal(properties['name'], {
    description: 'Unique in the organization.',
    type: 'string',
    maxLength: 1024,
    minLength: 3,
  });
  assert.equal(properties['multiAZ'], { type: 'boolean' });
  assert.equal(properties['cores'], { type: 'integer', format: 'int64' });
  assert.equal(properties['load'], { type: 'number' });
  assert.equal(properties['expiresAt'], { type: 'string', format: 'date-time' });
  assert.equal(properties['extra'], { 'x-kubernetes-preserve-unknown-fields': true });
  assert.equal(properties['flavor'], { description: 'How it is built.', type: 'string', maxLength: 1024 });
  assert.equal(properties['old'], { description: 'Deprecated. Use something else.', type: 'string', maxLength: 1024 });
  assert.equal(properties['labels'], {
    type: 'object',
    maxProperties: 7,
    additionalProperties: { type: 'string', maxLength: 1024 },
  });
  assert.equal(properties['addresses'], {
    type: 'array',
    maxItems: 100,
    'x-kubernetes-list-type': 'atomic',
    items: { type: 'object', properties: { ip: { type: 'string', maxLength: 1024 } } },
  });
  // A value of a class has an identifier of its own.
  assert.equal(Object.keys(at(properties, 'owner', 'properties') as object), ['id', 'email']);
  assert.is(at(properties, 'owner', 'required'), undefined);
});

test('36.4b: a link is the name of its target, a list link is no property', () => {
  const { Cluster } = kinds();
  const properties = propertiesOf((Cluster as ModelKind).schemas.spec);
  assert.equal(properties['regionRef'], { type: 'string', minLength: 1, maxLength: 253 });
  assert.equal(at(properties, 'network', 'properties', 'zoneRef'), { type: 'string', minLength: 1, maxLength: 253 });
  assert.not.ok('region' in properties || 'nodePools' in properties || 'nodePoolsRef' in properties);
});

test('36.4b: spec and status are what the declaration says, and no name is guessed', () => {
  const { Cluster, NodePool } = kinds() as Record<'Cluster' | 'NodePool', ModelKind>;
  assert.equal(Object.keys(propertiesOf(Cluster.schemas.status)), ['nodes', 'state']);
  assert.equal(Object.keys(at(Cluster.schemas.status, 'properties', 'nodes', 'properties') as object), ['ready']);
  assert.equal(at(Cluster.schemas.spec, 'properties', 'nodes', 'properties'), {
    compute: { type: 'integer', format: 'int32', maximum: 500 },
  });
  // `State` of a pool is in the spec: nobody said otherwise.
  assert.ok('state' in propertiesOf(NodePool.schemas.spec));
  assert.is(NodePool.schemas.status['properties'], undefined);
});

test('36.4b: the parent is that of the resource tree: required, immutable, and a link to it is the same property', () => {
  const { NodePool, Cluster } = kinds() as Record<'Cluster' | 'NodePool', ModelKind>;
  assert.is(Cluster.parent, undefined);
  assert.is(NodePool.parent?.property, 'clusterRef');
  assert.is(NodePool.parent?.type, Cluster.type);
  assert.equal(NodePool.schemas.spec['required'], ['clusterRef']);
  assert.equal(at(NodePool.schemas.spec, 'properties', 'clusterRef', 'x-kubernetes-validations'), [
    { rule: 'self == oldSelf', message: 'clusterRef is immutable' },
  ]);
  const definition = customResourceDefinition(NodePool);
  assert.equal(at(definition, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'required'), ['spec']);
});

test('36.4b: names, group, version and columns', () => {
  const { NodePool, Cluster, Region } = kinds() as Record<'Cluster' | 'NodePool' | 'Region', ModelKind>;
  const [pool, cluster, region] = [NodePool, Cluster, Region].map(customResourceDefinition);
  assert.equal(at(pool, 'metadata', 'name'), 'nodepools.fleet-mgmt.models.troupe.dev');
  assert.equal(at(pool, 'spec', 'names'), {
    kind: 'NodePool',
    listKind: 'NodePoolList',
    plural: 'nodepools',
    singular: 'nodepool',
    categories: ['modeled'],
  });
  assert.equal(at(region, 'spec', 'names', 'shortNames'), ['reg']);
  assert.is(at(region, 'spec', 'names', 'categories'), undefined);
  assert.is(at(region, 'spec', 'group'), 'places.example.com');
  assert.is(at(pool, 'spec', 'versions', 0, 'name'), 'v1alpha1');
  const columns = (of: unknown): unknown =>
    (at(of, 'spec', 'versions', 0, 'additionalPrinterColumns') as { name: string }[]).map(({ name }) => name);
  assert.equal(columns(pool), ['Cluster', 'Ready', 'Message', 'Age']);
  assert.equal(columns(cluster), ['State', 'Ready', 'Message', 'Age']);
  assert.equal(columns(region), ['Where', 'Age']);
});

test('36.4b: only the attributes that were named', () => {
  const { kinds, problems } = bindKinds(modelOf(MODELS), [
    {
      service: 'fleet_mgmt',
      version: 'v1_alpha1',
      class: 'Cluster',
      attributes: ['Name', 'Nodes.Compute', 'Network.Zone'],
      parent: '',
    },
  ]);
  assert.equal(problems, []);
  assert.equal(at(kinds[0], 'schemas', 'spec', 'properties', 'nodes', 'properties'), {
    compute: { type: 'integer', format: 'int32' },
  });
  assert.equal(Object.keys(at(kinds[0], 'schemas', 'spec', 'properties') as object), ['name', 'network', 'nodes']);
});

test('36.4b: what cannot be expressed is refused, and said', () => {
  const refusals = withModelTexts(
    {
      'svc/v1/types.model': `
        class Twice { IDs String  @json(name = "other") Ids String }
        class Own { Conditions String }
        class Tree { Root Node }
        struct Node { Name String  Children []Node }
        class Clash { OwnerRef String  link Owner Own }
        class Free { Name String  Parts []Part }
        struct Part { Size Integer }
        class Foo_Bar { Name String }
      `,
      'svc/v1/root.model': 'resource Root { }',
    },
    (model) => {
      const bind = (name: string, more: object = {}): string =>
        bindKinds(model, [{ service: 'svc', version: 'v1', class: name, ...more }]).problems.join();
      return {
        twice: bind('Twice'),
        reserved: bind('Own', { statusAttributes: ['Conditions'] }),
        fine: bind('Own'),
        recursive: bind('Tree'),
        without: bind('Tree', { attributes: ['Root.Name'] }),
        clash: bind('Clash'),
        attribute: bind('Free', { attributes: ['Nam'] }),
        status: bind('Free', { statusAttributes: ['Nam'] }),
        inList: bind('Free', { statusAttributes: ['Parts.Size'] }),
        override: bind('Free', { overrides: { 'parts.sizes': { minimum: 1 } } }),
        inItems: bind('Free', { overrides: { 'parts.size': { minimum: 1 } } }),
        noClass: bind('Missing'),
        noService: bind('Free', { service: 'other' }),
        noVersion: bind('Free', { version: 'v2' }),
        group: bind('Free', { group: 'apps.k8s.io' }),
        noGroup: bind('Free', { group: 'apps' }),
        name: bind('Foo_Bar'),
        noParent: bind('Free', { parent: 'Missing' }),
        bound: bindKinds(model, [
          { service: 'svc', version: 'v1', class: 'Free' },
          { service: 'svc', version: 'v1', class: 'Free', names: { kind: 'Freer' } },
          { service: 'svc', version: 'v1', class: 'Own', names: { plural: 'frees' } },
        ]).problems.join(),
      };
    },
  );
  assert.match(refusals.twice, "attributes 'IDs' and 'Ids' of 'Twice' are both 'ids'");
  assert.match(refusals.reserved, "'status.conditions', which is Troupe's");
  assert.is(refusals.fine, '');
  assert.match(refusals.recursive, "'Node' contains itself (Tree > Node > Node)");
  assert.is(refusals.without, '');
  assert.match(refusals.clash, "attributes 'Owner' and 'OwnerRef' of 'Clash' are both 'ownerRef'");
  assert.match(refusals.attribute, "'Free' has no attribute 'nam'");
  assert.match(refusals.status, "no attribute 'nam'");
  assert.match(refusals.inList, 'cannot be split');
  assert.match(refusals.override, "there is no property 'parts.sizes'");
  assert.is(refusals.inItems, '');
  assert.match(refusals.noClass, "there is no class 'Missing'");
  assert.match(refusals.noService, "there is no service 'other'");
  assert.match(refusals.noVersion, "service 'svc' has no version 'v2'");
  assert.match(refusals.group, "group 'apps.k8s.io' is one of Kubernetes");
  assert.match(refusals.noGroup, "group 'apps' is no DNS name with a dot");
  assert.match(refusals.name, 'other characters than a DNS label');
  assert.match(refusals.noParent, "there is no class 'Missing'");
  assert.match(refusals.bound, /it is bound already.*has the plural 'frees' too/);
});

test('36.4b: without bindings every class is one', () => {
  const model = modelOf(MODELS);
  const { kinds, problems } = bindKinds(model, bindingsOfAll(model));
  assert.equal(problems, []);
  assert.equal(kinds.map(({ kind }) => kind).sort(), ['Cluster', 'NodePool', 'Owner', 'Region', 'Zone']);
});

test('36.4b: a bindings file that says something else is refused with its place', () => {
  const refused = (text: string): string => {
    try {
      parseBindings(text, 'b.yaml');
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.match(refused('kinds: ['), 'b.yaml: ');
  assert.is(refused('[]'), "b.yaml: expected a list 'kinds'");
  assert.is(refused('kinds: []\nkind: 1'), "b.yaml: unknown member 'kind'; there is 'kinds'");
  assert.is(refused('kinds: [{service: a, version: v1}]'), "b.yaml: kinds[0]: 'class' is missing");
  const binding = (more: string): string => refused(`kinds: [{service: a, version: v1, class: C, ${more}}]`);
  assert.match(binding('statuses: []'), "unknown member 'statuses'; there are service, ");
  assert.match(binding('statusAttributes: State'), "'statusAttributes' has another type than expected");
  assert.match(binding('names: {kinds: X}'), "'names' has another type than expected");
  assert.match(binding('overrides: {name: 3}'), "'overrides' has another type than expected");
});

test.run();
