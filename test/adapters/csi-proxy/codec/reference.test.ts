// long
// Our messages and those of the reference's protos, as protobufjs has them, read each other's bytes: every message of every
// version, with random values. `RUNS` values of each (5 unless told), `SEED` to see the same again.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type MessageType, type Method, UNKNOWN_FIELDS, WireError } from '../../../../adapters/csi-proxy/codec/mod.ts';
import { fc } from '../../../world/properties.ts';

const REFERENCE = new URL('../../../../../shared/reference/csi-proxy-protos/', import.meta.url);
const OURS = new URL('../../../../adapters/csi-proxy/api/', import.meta.url);
const seed = Number(process.env['SEED'] ?? 20_261_121);
const checked = { seed, numRuns: Number(process.env['RUNS'] ?? 5) };
const test = suite('messages of the reference');

type Plain = Record<string, unknown>;

interface Pair {
  /** `disk/v1 DiskLocation`. */
  readonly name: string;
  readonly ours: MessageType<Plain>;
  readonly theirs: protobuf.Type;
}

interface Version {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly theirs: protobuf.Namespace;
  readonly pairs: readonly Pair[];
}

async function readVersion(file: string): Promise<Version> {
  const name = file.replaceAll('\\', '/').replace('/api.proto', '');
  const exports: Plain = await import(new URL(`${name}/api_generated.ts`, OURS).href);
  // Fields are called as in JSON, on both sides.
  const { root, package: packageName = '' } = protobuf.parse(readFileSync(new URL(file, REFERENCE), 'utf8'), {
    keepCase: false,
  });
  const theirs = root.lookup(packageName);
  if (!(theirs instanceof protobuf.Namespace)) throw new Error(`no package in '${file}'`);
  const pairs = theirs.nestedArray
    .filter((one) => one instanceof protobuf.Type)
    .map((type) => ({ name: `${name} ${type.name}`, ours: messageCalled(exports, type.name), theirs: type }));
  return { name, exports, theirs, pairs };
}

function messageCalled(exports: Plain, name: string): MessageType<Plain> {
  const found = exports[name] as MessageType<Plain> | undefined;
  if (found?.kind !== 'message') throw new Error(`there is no message '${name}'`);
  return found;
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\\\\?\\Volume{8b3f2a6e-0000-4321-aaaa-bbbbccccdddd}\\', '\u0000', '\ufeff', 'C:\\Ünï\\😀'),
);

/** Numbers and edges of a scalar of the reference's protos. */
function scalar(type: string): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return text;
    case 'bool':
      return fc.boolean();
    case 'uint32':
      return fc.oneof(fc.nat(300), fc.constantFrom(2 ** 31, 2 ** 32 - 1));
    case 'int64':
      return fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.constantFrom(0n, 2n ** 53n + 1n));
    default:
      throw new Error(`no values of '${type}'`);
  }
}

function fieldValue(field: protobuf.Field): fc.Arbitrary<unknown> {
  const { resolvedType } = field.resolve();
  if (resolvedType instanceof protobuf.Type) return messageOf(resolvedType);
  // Numbers without a name are kept, too.
  if (resolvedType instanceof protobuf.Enum) return fc.oneof(fc.nat(8), fc.constantFrom(-1, 2 ** 31 - 1));
  return scalar(field.type);
}

function messageOf(type: protobuf.Type): fc.Arbitrary<Plain> {
  const fields = type.fieldsArray.map((field): [string, fc.Arbitrary<unknown>] => {
    const value = fieldValue(field);
    if (field instanceof protobuf.MapField) {
      const entries = fc.uniqueArray(fc.tuple(scalar(field.keyType), value), {
        selector: ([key]) => key,
        maxLength: 4,
      });
      return [field.name, entries.map((pairs) => new Map(pairs))];
    }
    if (field.repeated) return [field.name, fc.array(value, { maxLength: 4 })];
    return [field.name, field.resolvedType instanceof protobuf.Type ? fc.option(value, { nil: undefined }) : value];
  });
  return fc.record(Object.fromEntries(fields), { noNullPrototype: true });
}

/** As protobufjs has it: 64-bit numbers as texts, maps as objects, nothing for what is absent. */
function toTheirs(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, one]) => [key, toTheirs(one)]));
  if (Array.isArray(value)) return value.map(toTheirs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (one === undefined ? [] : [[name, toTheirs(one)]])),
  );
}

/** The reverse, by the reference's own types. */
function fromTheirs(type: protobuf.Type, message: Plain): Plain {
  return Object.fromEntries(
    type.fieldsArray.map((field) => {
      const one = (value: unknown): unknown => {
        if (field.resolvedType instanceof protobuf.Type) return fromTheirs(field.resolvedType, value as Plain);
        return field.type === 'int64' ? BigInt(String(value)) : value;
      };
      const value = message[field.name];
      if (field instanceof protobuf.MapField) {
        const key = (text: string): unknown => (field.keyType === 'string' ? text : Number(text));
        return [field.name, new Map(Object.entries(value as Plain).map(([name, of]) => [key(name), one(of)]))];
      }
      if (field.repeated) return [field.name, (value as unknown[]).map(one)];
      return [field.name, value === null || value === undefined ? undefined : one(value)];
    }),
  );
}

const theirBytes = ({ theirs }: Pair, value: Plain): Uint8Array =>
  theirs.encode(theirs.create(toTheirs(value) as Plain)).finish();
const theirValue = ({ theirs }: Pair, bytes: Uint8Array): Plain =>
  fromTheirs(
    theirs,
    theirs.toObject(theirs.decode(bytes), { defaults: true, longs: String, arrays: true, objects: true }),
  );

/** Checks each pair with values of its own. */
function forEach(pairs: readonly Pair[], property: (pair: Pair, value: Plain, more: fc.GeneratorValue) => void): void {
  for (const pair of pairs) {
    fc.assert(
      fc.property(messageOf(pair.theirs), fc.gen(), (value, more) => property(pair, value, more)),
      checked,
    );
  }
}

if (existsSync(REFERENCE)) {
  const files = globSync('*/*/api.proto', { cwd: fileURLToPath(REFERENCE) }).sort();
  const versions = await Promise.all(files.map(readVersion));
  const pairs = versions.flatMap((version) => version.pairs);

  test('all 23 versions have the same messages, fields, enums and calls', () => {
    assert.is(versions.length, 23);
    for (const { name, exports, theirs, pairs } of versions) {
      const ours = Object.keys(exports).sort();
      assert.equal(ours, theirs.nestedArray.map((one) => one.name).sort(), name);
      for (const { ours, theirs } of pairs) {
        assert.equal(
          Object.entries(ours.fields).map(([name, { number }]) => [name, number]),
          theirs.fieldsArray.map((field) => [field.name, field.id]),
          ours.name,
        );
      }
      for (const one of theirs.nestedArray) {
        if (one instanceof protobuf.Enum) assert.equal(exports[one.name], { ...one.values });
        if (!(one instanceof protobuf.Service)) continue;
        const methods = Object.values(exports[one.name] as Record<string, Method<object, object>>);
        assert.equal(
          methods.map(({ path, request, response }) => [path, request.name, response.name]),
          one.methodsArray.map(({ name, requestType, responseType }) => [
            `/${theirs.name}.${one.name}/${name}`,
            `${theirs.name}.${requestType}`,
            `${theirs.name}.${responseType}`,
          ]),
        );
      }
    }
  });

  test('the reference reads what we write, and we read what it writes', () => {
    forEach(pairs, (pair, value) => {
      const bytes = pair.ours.encode(value);
      assert.equal(theirValue(pair, bytes), value, pair.name);
      assert.equal(pair.ours.decode(theirBytes(pair, value)), value, pair.name);
      assert.equal(pair.ours.decode(bytes), value, pair.name);
    });
  });

  test('fields that a version does not know survive, and do not disturb those it knows', () => {
    const unknown = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) =>
        protobuf.Writer.create()
          .uint32((900 << 3) | 0)
          .uint64(String(value))
          .finish(),
      ),
      fc.string().map((value) =>
        protobuf.Writer.create()
          .uint32((901 << 3) | 2)
          .string(value)
          .finish(),
      ),
      fc.double().map((value) =>
        protobuf.Writer.create()
          .uint32((902 << 3) | 1)
          .double(value)
          .finish(),
      ),
      fc.nat().map((value) =>
        protobuf.Writer.create()
          .uint32((903 << 3) | 5)
          .fixed32(value)
          .finish(),
      ),
    );
    forEach(pairs, (pair, value, more) => {
      const added = more(() => fc.array(unknown, { maxLength: 3 }));
      const received = Buffer.concat([...added.slice(0, 1), theirBytes(pair, value), ...added.slice(1)]);
      const message = pair.ours.decode(received);
      assert.equal(message, value, pair.name);
      const known = Object.fromEntries(Object.entries(message));
      const kept = (message as { [UNKNOWN_FIELDS]?: Uint8Array[] })[UNKNOWN_FIELDS] ?? [];
      assert.equal(Buffer.concat(kept), Buffer.concat(added), pair.name);
      assert.equal(
        Buffer.from(pair.ours.encode(message)),
        Buffer.concat([pair.ours.encode(known), ...added]),
        pair.name,
      );
    });
  });

  test('what is cut short, or altered, is refused or read, and never anything else', () => {
    forEach(pairs, (pair, value, more) => {
      const bytes = Buffer.from(theirBytes(pair, value));
      const damaged = [
        bytes.subarray(0, more(fc.nat, { max: bytes.length })),
        Buffer.concat([bytes, more(fc.uint8Array, { maxLength: 8 })]),
        Buffer.from(bytes.map((byte, index) => (index === more(fc.nat, { max: bytes.length }) ? byte ^ 0x81 : byte))),
      ];
      for (const received of damaged) {
        try {
          // Whatever is read can be written again, and is the same then.
          const message = pair.ours.decode(received);
          assert.equal(pair.ours.decode(pair.ours.encode(message)), message, pair.name);
        } catch (error) {
          assert.instance(error, WireError, `${pair.name}: ${error}`);
        }
      }
    });
  });

  test.run();
} else {
  console.log('skipped: there are no protos of the reference beside this project');
}
