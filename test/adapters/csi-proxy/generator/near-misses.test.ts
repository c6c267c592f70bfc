// Who writes almost the right thing is told which that is; who adds a call, that nobody answers it yet.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code } from '../../../../adapters/csi-proxy/base/status.ts';
import { newVersion } from '../../../../adapters/csi-proxy/generator/mod.ts';
import type { ApiGroup, GrpcServer } from '../../../../adapters/csi-proxy/server/runtime.ts';
import { failureOf } from '../echo-group.ts';
import { proto, Tree, types, withTree } from './tree.ts';

const test = suite("an author's near misses");

const PROTO = 'api/thing/v1/api.proto';
const TYPES = 'server/thing/internal/types.ts';
const CONVERSION = 'server/thing/internal/v1/conversion.ts';
const SERVER = 'server/thing/server.ts';
/** A call that came after `server.ts` was begun. */
const WITH_TELL = proto().replace('; }', '; rpc Tell(AskRequest) returns (AskResponse); }');

function says(files: Readonly<Record<string, string>>, pattern: RegExp): void {
  withTree(files, (tree) => {
    const { ok, report } = tree.run();
    assert.not.ok(ok, report);
    assert.match(report, pattern);
  });
}

test('what a proto names almost right', () => {
  const request = (text: string): Record<string, string> => ({
    [PROTO]: proto({ request: text, more: 'enum Kind { NO = 0; }' }),
  });
  says(request('Knid kind = 1;'), /there is no message and no enum 'Knid'; did you mean 'Kind'\?\n/);
  says(request('\n// +secrte\nstring a = 1;'), /'\+secrte' above .* none of the marks .*; did you mean '\+secret'\?\n/);
  says(request('string a = 1 [deprecatd = true];'), /option 'deprecatd' .*; did you mean 'deprecated'\?\n/);
  says({ [PROTO]: proto().replace('(AskRequest)', '(AskReqest)') }, /'AskReqest'; did you mean 'AskRequest'\?\n/);
});

test('what internal types and conversions name almost right', () => {
  const files = (text: string, conversion = ''): Record<string, string> => ({
    [PROTO]: proto({ request: 'string volume_id = 1;' }),
    [TYPES]: types({ request: text }),
    [CONVERSION]: conversion,
  });
  says(
    files('volumeID: text;'),
    /'AskRequest\.volume_id' \(text\) has no counterpart \(none; did you mean 'volumeID'\?\): /,
  );
  says(files('volumeId: txt;'), /there is no exported type 'txt' in this file; did you mean 'text'\?\n/);
  const right = 'convert_pb_AskRequest_To_internal_AskRequest';
  says(
    files(
      'volumeId: text;',
      'export function convert_pb_AskReqest_To_internal_AskReqest(input: pb.A, out: internal.A): void {}',
    ),
    new RegExp(`names no message of this version; did you mean '${right}'\\?\\n`),
  );
  says(
    files('volumeId: text;', "export const ignoredFields = { AskReqest: { volumeId: 'why' } };"),
    /this version has no message 'AskReqest'; did you mean 'AskRequest'\?\n/,
  );
  says(
    files('a: text;', "export const ignoredFields = { AskRequest: { volumeIdd: 'why' } };"),
    /has no field 'volumeIdd' in this version; did you mean 'volumeId'\?\n/,
  );
});

test('a version to start from that there is not, and one that the rules would not let out', () => {
  withTree(
    { [PROTO]: proto(), 'api/thing/v1beta3/api.proto': proto({ version: 'v1beta3' }), [TYPES]: types({}) },
    (tree) => {
      assert.ok(tree.run().ok);
      const before = tree.files();
      const start = (group: string, from: string, to: string) => () =>
        newVersion(group, from, to, { bases: tree.bases, root: tree.root });
      assert.throws(
        start('thign', 'v1', 'v2alpha1'),
        /there is no 'api\/thign\/v1\/api\.proto'; did you mean 'thing'\?$/,
      );
      assert.throws(start('thing', 'v1beta2', 'v2alpha1'), /v1beta2\/api\.proto'; did you mean 'v1beta3'\?$/);
      assert.throws(
        start('thing', 'v1', 'v1beta4'),
        /^group 'thing': 'v1' of it is stable already, so nobody could release 'v1beta4' \(C28\); what is new belongs in 'v2alpha1'$/,
      );
      assert.equal(tree.files(), before);
      assert.ok(start('thing', 'v1', 'v2beta1')().ok);
      assert.ok(start('thing', 'v1', 'v2')().ok);
    },
  );
});

test('a call that the class of the group has no method for is said, with a method to go on with', () => {
  withTree({ [PROTO]: proto() }, (tree) => {
    assert.not.match(tree.run().report, /UNIMPLEMENTED/);
    tree.write(PROTO, WITH_TELL);
    const { ok, report } = tree.run();
    assert.ok(ok, report);
    const [, stub = ''] =
      /^warning: server\/thing\/server\.ts:\d+:14: class Server has no 'tell': RPC 'Tell' \(v1\) ends with UNIMPLEMENTED until there is one, such as:\n\n([\s\S]*? {2}}\n)/m.exec(
        report,
      ) ?? [];
    assert.match(stub, /async tell\(_context: CallContext, _request: internal\.AskRequest, _version: Version\)/);
    assert.match(
      tree.run({ isCheck: true }).report,
      /class Server has no 'tell'[\s\S]*generated files are up to date\n$/,
    );
    const server = tree.read(SERVER);
    tree.write(SERVER, server.replace('  /** Stub. */', `  async tel() {}\n\n  /** Stub. */`));
    assert.match(tree.run().report, /class Server has no 'tell'; did you mean 'tel'\?: /);
    // Whether a parent has it, nobody has read.
    tree.write(SERVER, server.replace('class Server', 'class Server extends Parent'));
    assert.not.match(tree.run().report, /UNIMPLEMENTED/);
    for (const method of [stub, '  readonly tell = async () => ({});\n']) {
      tree.write(SERVER, server.replace('  /** Stub. */', `${method}\n  /** Stub. */`));
      assert.not.match(tree.run().report, /UNIMPLEMENTED/);
    }
  });
});

test('until there is a method, the call ends with UNIMPLEMENTED, and the others are answered', async () => {
  const tree = new Tree({ [PROTO]: WITH_TELL });
  try {
    tree.run();
    tree.write(SERVER, 'export class Server { async ask() { return {}; } }\n');
    const module: unknown = await import(pathToFileURL(join(tree.root, 'server/all_groups_generated.ts')).href);
    const { allGroups } = module as { allGroups: readonly ApiGroup[] };
    const handlers = new Map<string, Parameters<GrpcServer['handle']>[1]>();
    for (const { registrant } of allGroups.flatMap((group) => group.serve({} as never))) {
      registrant.register({ handle: ({ name }, handler) => void handlers.set(name, handler as never) });
    }
    const call = async (name: string) => handlers.get(name)?.({} as never, {});
    assert.equal(await call('Ask'), {});
    assert.equal(await failureOf(call('Tell')), {
      code: Code.Unimplemented,
      message: 'Tell is not implemented',
    });
  } finally {
    tree.close();
  }
});

test.run();
