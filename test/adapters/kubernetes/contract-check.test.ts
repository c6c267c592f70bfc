// The rules of contracts: each with a kind that keeps it, and one that breaks it and is told what to do.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkContracts, contractProblemText, type Exemption } from '../../../adapters/api/contract/check/check.ts';
import type { Trial } from '../../../adapters/api/contract/check/trial-rules.ts';
import {
  boolean,
  integer,
  list,
  map,
  object,
  ref,
  required,
  type Schema,
  type Shape,
  string,
} from '../../../adapters/api/contract/contract.ts';
import type { Json, JsonObject } from '../../../bus/bus.ts';

const test = suite('contract check');

interface Parts {
  readonly named?: boolean;
  readonly resource?: Shape;
  readonly filter?: Shape;
  readonly status?: Shape;
  readonly trial?: Partial<Trial>;
  readonly exemptions?: readonly Exemption[];
}

const NAME = string('name of it.', { minLength: 1, maxLength: 9 });
const WORD = string('One of them.', { maxLength: 9 });

/** What is said of a kind with these fields beside its name. It sends what it is told, and its cloud answers everything. */
async function complaintsAbout({
  named = true,
  resource = {},
  filter = {},
  status = {},
  trial,
  exemptions = [],
}: Parts): Promise<readonly string[]> {
  const resourceStatus = object('resource as it was answered.', { name: text('name in the cloud.'), ...status });
  const contract = {
    group: 'example.org',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    categories: [],
    description: 'Widget is a thing.',
    columns: [],
    spec: object('spec is what is wanted.', {
      resource: object('resource is how it shall be.', { ...(named ? { name: NAME } : {}), ...resource }),
      import: object('import says which one it is.', {
        filter: object('filter finds it.', { name: NAME, ...filter }, { minProperties: 1 }),
      }),
    }),
    status: object('status is what is.', { id: text('id in the cloud.'), resource: resourceStatus }),
  };
  const echo: Trial = {
    examples: {},
    async treat({ metadata, spec }) {
      const wanted = (spec?.['resource'] ?? {}) as JsonObject;
      return { sent: { name: metadata.name, ...wanted }, asked: spec?.['import'] ?? null };
    },
    statuses: async () => [{ status: { id: 'i', resource: answerTo(resourceStatus) }, answered: new Set(['answer']) }],
    ...trial,
  };
  return (await checkContracts([{ contract, trial: echo }], exemptions)).map(contractProblemText);
}

function answerTo({ type, items, properties }: Schema): Json {
  if (items !== undefined) return [answerTo(items)];
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, answerTo(field)]));
  return type === 'string' ? 'answer' : type === 'integer' ? 1 : true;
}

function text(description: string): Schema<string> {
  return string(description, { maxLength: 1024 });
}

function withKeywords(schema: Schema, keywords: JsonObject): Schema {
  return { ...schema, keywords: { ...schema.keywords, ...keywords } };
}

function without(schema: Schema, keyword: string): Schema {
  const { [keyword]: _removed, ...keywords } = schema.keywords;
  return { ...schema, keywords };
}

/** What the kind does, but for what `change` makes of the part that is sent. */
function sending(change: (sent: JsonObject) => JsonObject): Partial<Trial> {
  return {
    async treat({ metadata, spec }) {
      const wanted = (spec?.['resource'] ?? {}) as JsonObject;
      return { sent: change({ name: metadata.name, ...wanted }), asked: spec?.['import'] ?? null };
    },
  };
}

function answering(resource: JsonObject): Partial<Trial> {
  return { statuses: async () => [{ status: { id: 'i', resource }, answered: new Set(['answer']) }] };
}

test('a kind that keeps all rules', async () => {
  const complaints = await complaintsAbout({
    resource: {
      size: string('size of it.', { enum: ['small', 'large'] }),
      weight: integer('weight in grams.', { minimum: 0 }),
      boxRef: ref('Box', 'boxRef is where it lies.'),
      shelfRefs: list('shelfRefs are where else.', ref('Shelf', 'One of them.'), { type: 'set', maxItems: 3 }),
      parts: list('parts of it.', object('A part.', { name: required(NAME), lit: boolean('lit or not.') }), {
        type: 'map',
        keys: ['name'],
        maxItems: 3,
      }),
      hints: map('hints for it.', WORD, { maxProperties: 3 }),
    },
    filter: {
      boxRef: ref('Box', 'boxRef is where it lies.'),
      sizes: list('sizes of it.', WORD, { type: 'set', maxItems: 2 }),
    },
    status: {
      boxID: text('boxID is the id of its box.'),
      weight: integer('weight in grams.'),
      madeAt: string('madeAt is when it was made.', { format: 'date-time' }),
      parts: list('parts of it.', object('A part.', { name: text('name of it.') }), { type: 'atomic', maxItems: 3 }),
    },
    trial: {},
  });
  assert.equal(complaints, []);
});

test('no field of a spec that changes nothing', async () => {
  const size = string('size of it.', { maxLength: 9 });
  const part = object('A part.', { color: required(string('color of it.', { maxLength: 9 })) });
  const parts = list('parts of it.', part, { type: 'atomic', maxItems: 2 });
  assert.equal(await complaintsAbout({ resource: { size, parts }, trial: sending(({ name = null }) => ({ name })) }), [
    'Widget spec.resource.size changes nothing that is done: implement or remove it (implemented)',
    'Widget spec.resource.parts[].color changes nothing that is done: implement or remove it (implemented)',
  ]);
});

test('a field that does something beside certain others only is implemented', async () => {
  const resource = {
    mode: string('mode of it.', { enum: ['given', 'chosen'] }),
    value: string('value for mode `given`.', { maxLength: 9 }),
  };
  const trial = sending(({ value = null, ...sent }) => (sent['mode'] === 'given' ? { ...sent, value } : sent));
  assert.equal(await complaintsAbout({ resource, trial }), []);
});

test('no field of a status that is never written', async () => {
  const status = { boxID: text('boxID is the id of its box.') };
  assert.equal(await complaintsAbout({ status, trial: answering({ name: 'answer' }) }), [
    'Widget status.resource.boxID is never written: read it from an answer, or remove it (implemented)',
  ]);
});

test('strings, lists and maps of a spec have bounds', async () => {
  const resource = {
    size: string('size of it.'),
    words: without(list('words about it.', string('One of them.'), { type: 'set', maxItems: 1 }), 'maxItems'),
    hints: without(map('hints for it.', WORD, { maxProperties: 1 }), 'maxProperties'),
  };
  assert.equal(await complaintsAbout({ resource }), [
    'Widget spec.resource.size is a string of any length: give it maxLength, an enum or a format (bounded)',
    'Widget spec.resource.words is a list of any length: give it maxItems (bounded)',
    'Widget spec.resource.words[] is a string of any length: give it maxLength, an enum or a format (bounded)',
    'Widget spec.resource.hints is a map of any size: give it maxProperties (bounded)',
  ]);
});

test('a constant is sent as it is written', async () => {
  const resource = { policy: string('policy of it.', { enum: ['Soft', 'hard'] }) };
  const trial = sending(({ policy = null, ...sent }) => ({ ...sent, policy: policy === 'Soft' ? 'soft' : policy }));
  assert.equal(await complaintsAbout({ resource, trial }), [
    "Widget spec.resource.policy offers 'Soft', which is sent as something else: offer the constant that is sent (verbatim)",
  ]);
});

test('a constant is shown as it was answered', async () => {
  const status = { state: text('state of it.') };
  assert.equal(await complaintsAbout({ status, trial: answering({ name: '', state: 'Answer' }) }), [
    "Widget status.resource.state is written as 'Answer', which is in no answer: write the value of the answer (verbatim)",
  ]);
});

test('every field is described, beginning with its name', async () => {
  const part = { ...object('', { name: required(NAME) }) };
  const resource = {
    size: integer('sizes of it.', { minimum: 0 }),
    lit: boolean('lit'),
    parts: list('parts of it.', part, { type: 'map', keys: ['name'], maxItems: 1 }),
  };
  const status = { weight: integer('The weight.') };
  assert.equal(await complaintsAbout({ resource, status }), [
    "Widget spec.resource.size has a description that does not begin with its name: write 'size is ...', not 'sizes of it.' (documented)",
    "Widget spec.resource.lit has a description that does not begin with its name: write 'lit is ...', not 'lit' (documented)",
    'Widget spec.resource.parts[] has no description: say what one of them is (documented)',
    "Widget status.resource.weight has a description that does not begin with its name: write 'weight is ...', not 'The weight.' (documented)",
  ]);
});

test('integers have a size and a lower end, and are signed', async () => {
  const resource = {
    size: integer('size of it.'),
    count: withKeywords(integer('count of it.', { minimum: 0 }), { format: 'uint32' }),
  };
  const status = { weight: without(integer('weight in grams.'), 'format') };
  assert.equal(await complaintsAbout({ resource, status }), [
    'Widget spec.resource.size is an integer without a lower end: give it a minimum, which is 0 for what cannot be negative, or an enum (sized)',
    "Widget spec.resource.count is an integer of format 'uint32': make it int32 or int64, with a minimum of 0 for what is unsigned (sized)",
    "Widget status.resource.weight is an integer of format '': make it int32 or int64, with a minimum of 0 for what is unsigned (sized)",
  ]);
});

test('an optional field that is empty is left out', async () => {
  const resource = { size: withKeywords(string('size of it.', { maxLength: 9 }), { nullable: true }) };
  assert.equal(await complaintsAbout({ resource }), [
    'Widget spec.resource.size may be null, which says the same as leaving it out: remove nullable (omitted)',
  ]);
  const status = { words: list('words about it.', WORD, { type: 'atomic', maxItems: 1 }) };
  assert.equal(await complaintsAbout({ status, trial: answering({ name: null, words: [] }) }), [
    'Widget status.resource.name is written empty: leave it out, its absence says so (omitted)',
    'Widget status.resource.words is written empty: leave it out, its absence says so (omitted)',
  ]);
});

test('filters know no ids', async () => {
  const filter = {
    id: string('id of it.', { maxLength: 36 }),
    boxID: string('boxID is the id of its box.', { maxLength: 36 }),
    shelfIDs: list('shelfIDs are ids.', WORD, { type: 'set', maxItems: 2 }),
    owner: string('owner of it.', { format: 'uuid' }),
    grid: string('grid of it.', { maxLength: 9 }),
    vlanID: integer('vlanID is a number.', { minimum: 1 }),
  };
  assert.equal(
    await complaintsAbout({ filter }),
    ['id', 'boxID', 'shelfIDs', 'owner'].map(
      (name) =>
        `Widget spec.import.filter.${name} is an id in a filter: remove it (spec.import.id imports by id), or refer to another object by a 'fooRef' (filter-ids)`,
    ),
  );
});

test('the name can be chosen where the resource has one', async () => {
  const say = (message: string): readonly string[] => [`Widget spec.resource.name ${message} (name)`];
  assert.equal(
    await complaintsAbout({ resource: { name: required(NAME) } }),
    say('may not be left out: make it optional, the name of the object stands in'),
  );
  assert.equal(
    await complaintsAbout({ named: false }),
    say('is missing, and the resource has a name: add it as an optional field'),
  );
  const { treat } = sending((sent) => sent);
  assert.equal(
    await complaintsAbout({ trial: { treat: async (it) => [await (treat?.(it) ?? null), it.metadata.name] } }),
    say('does not replace the name of the object everywhere: send spec.resource.name where it is given'),
  );
  const trial = { treat: async ({ spec }: { readonly spec?: JsonObject }): Promise<Json> => spec ?? null };
  assert.equal(
    await complaintsAbout({ trial }),
    say('has nothing in its place when it is unset: send the name of the object then'),
  );
});

test('references are named so, hold a name of the same namespace, and say alone what they say', async () => {
  const resource = {
    box: ref('Box', 'box is where it lies.'),
    shelves: list('shelves are where else.', ref('Shelf', 'One of them.'), { type: 'set', maxItems: 3 }),
    drawerRef: string('drawerRef is a name.', { maxLength: 9 }),
    roomRef: ref('Room', 'roomRef is where it is.'),
    roomName: string('roomName is where it is.', { maxLength: 9 }),
    roomNamespace: string('roomNamespace is where it is.', { maxLength: 9 }),
    houseID: string('houseID is the id of a house.', { maxLength: 36 }),
  };
  assert.equal(await complaintsAbout({ resource }), [
    "Widget spec.resource.box refers to a Box and is not called so: name it 'boxRef' (references)",
    "Widget spec.resource.shelves refers to a Shelf and is not called so: name it 'shelvesRefs' (references)",
    'Widget spec.resource.drawerRef is called a reference and is none: make it a ref() (references)',
    "Widget spec.resource.roomRef says what 'roomName' beside it says too: keep the reference alone (references)",
    'Widget spec.resource.roomNamespace names a namespace: remove it, references stay within that of the object (references)',
    "Widget spec.resource.houseID is the id of something: refer to its object by a 'fooRef' instead (references)",
  ]);
});

test('a status is not judged, does not repeat the id, has atomic lists, and may leave out anything', async () => {
  const status = {
    id: text('id of it.'),
    size: required(text('size of it.')),
    state: string('state of it.', { enum: ['answer'] }),
    weight: integer('weight in grams.', { minimum: 0 }),
    word: string('word about it.', { maxLength: 9, rules: [{ rule: "self != ''", message: 'no' }] }),
    tags: list('tags of it.', text('One of them.'), { type: 'set', maxItems: 3 }),
  };
  const judged = 'one value it refuses and the API server refuses the whole status (status)';
  assert.equal(await complaintsAbout({ status }), [
    'Widget status.resource.id repeats status.id: remove it (status)',
    'Widget status.resource.size may not be left out: take off required(), the cloud may not say it (status)',
    `Widget status.resource.state is judged by enum: remove that, ${judged}`,
    `Widget status.resource.weight is judged by minimum: remove that, ${judged}`,
    `Widget status.resource.word is judged by a rule: remove that, ${judged}`,
    'Widget status.resource.tags is a list that merges: make it atomic, each status is written as a whole (status)',
  ]);
});

test('lists of a spec are sets, or maps where their items have a key', async () => {
  const named = object('A part.', { name: required(NAME) });
  const unnamed = object('A part.', { name: NAME });
  const resource = {
    words: list('words about it.', WORD, { type: 'atomic', maxItems: 2 }),
    parts: list('parts of it.', named, { type: 'atomic', maxItems: 2 }),
    others: list('others like it.', unnamed, { type: 'map', keys: ['name'], maxItems: 2 }),
    ranges: list('ranges of it.', unnamed, { type: 'atomic', maxItems: 2 }),
  };
  assert.equal(await complaintsAbout({ resource }), [
    "Widget spec.resource.words is a list of values of type 'atomic': make it a set (lists)",
    "Widget spec.resource.parts is a list of type 'atomic' whose items have a key: make it a map by 'name' (lists)",
    "Widget spec.resource.others is a map by 'name', which its items may leave out: key it by required fields (lists)",
  ]);
});

test('an exemption takes one rule off one field, and goes when it is not needed', async () => {
  const exemption = { kind: 'Widget', path: 'spec.resource.size', rule: 'bounded', why: 'clients rely on it' } as const;
  const resource = { size: string('size of it.'), color: string('color of it.') };
  const others = [
    'Widget spec.resource.color is a string of any length: give it maxLength, an enum or a format (bounded)',
  ];
  assert.equal(await complaintsAbout({ resource, exemptions: [exemption] }), others);
  assert.equal(await complaintsAbout({ resource, exemptions: [{ ...exemption, kind: '*' }] }), others);
  assert.equal(await complaintsAbout({ exemptions: [exemption] }), [
    'Widget spec.resource.size is exempt from this rule and keeps it: remove the exemption (bounded)',
  ]);
});

test.run();
