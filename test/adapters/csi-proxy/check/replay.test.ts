// long
// Recorded calls on the servers of this project: those of all versions hold, and what changes is found.
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import {
  apiTree,
  checkTrees,
  type Finding,
  readSource,
  recordCalls,
  recordedText,
  replayOn,
} from '../../../../adapters/csi-proxy/check/mod.ts';
import { parseRecorded } from '../../../../adapters/csi-proxy/check/recorded.ts';
import { allServices } from '../../../../adapters/csi-proxy/client/all_services_generated.ts';
import { allGroups } from '../../../../adapters/csi-proxy/server/all_groups_generated.ts';
import * as diskGroup from '../../../../adapters/csi-proxy/server/disk/api_group_generated.ts';
import { Server as DiskServer } from '../../../../adapters/csi-proxy/server/disk/server.ts';
import { PathRules } from '../../../../adapters/csi-proxy/server/path-rules.ts';
import { type ApiGroup, apiGroup } from '../../../../adapters/csi-proxy/server/runtime.ts';
import { TerminalError } from '../../../../bus/errors.ts';
import { quickClock } from '../quick-clock.ts';

const test = suite('replayed calls');
const API = fileURLToPath(new URL('../../../../adapters/csi-proxy/api', import.meta.url));
const source = { cwd: API, api: '' };
const deps = { clock: quickClock(), log: pino({ level: 'silent' }) };

async function checked(groups: readonly ApiGroup[]) {
  const input = { base: API, current: API, policy: 'compatible', today: '2026-06-15', ...source } as const;
  return checkTrees(input, { replay: replayOn({ ...deps, groups }), stale: async () => [] });
}

/** All groups, the disks served otherwise. */
function withDisks(Server: typeof DiskServer): readonly ApiGroup[] {
  const changed = apiGroup(diskGroup.groupName, Server, diskGroup.versionedAPIs);
  return allGroups.map((group) => (group.group === changed.group ? changed : group));
}

const brief = (findings: readonly Finding[]): string[] =>
  findings.map(({ rule, group, version, element }) => `${rule} ${group}/${version} ${element}`);

/** `text` with the outcomes of now. */
async function recorded(group: string, version: string, text: string): Promise<string> {
  const { versions } = apiTree(await readSource(API, source));
  const proto = versions.find((one) => one.group === group && one.version === version)?.proto;
  const server = await replayOn(deps)(group, version);
  if (proto === undefined || server === undefined) throw new Error(`there is no ${group}/${version}`);
  return recordedText(await recordCalls(text, { file: 'recorded.json', proto, server }));
}

test('every RPC of every version is recorded, and the servers answer as they did', async () => {
  const { files } = await readSource(API, source);
  for (const [group, versions] of Object.entries(allServices)) {
    for (const [version, service] of Object.entries(versions)) {
      const file = `${group}/${version}/recorded.json`;
      const text = files.get(file);
      if (text === undefined) throw new Error(`there is no ${file}`);
      const calls = parseRecorded(text, file);
      for (const { name } of Object.values(service)) {
        const outcomes = calls.filter(({ rpc }) => rpc === name).map(({ outcome }) => outcome.kind);
        assert.ok(outcomes.includes('response'), `${file}: ${name} never ended well`);
      }
    }
  }
  assert.equal(await checked(allGroups), { findings: [], notChecked: [] });
});

test('recording again changes nothing', async () => {
  const { files } = await readSource(API, source);
  const recordings = [...files].filter(([path]) => path.endsWith('/recorded.json'));
  assert.ok(recordings.length >= 23);
  for (const [path, text] of recordings) {
    const [group = '', version = ''] = path.split('/');
    assert.is(await recorded(group, version, text), text, path);
  }
});

test('C31 finds a server that refuses what it accepted, in every version that has the call', async () => {
  class Strict extends DiskServer {
    override async rescan(): Promise<never> {
      throw new StatusError(Code.PermissionDenied, 'not now');
    }
  }
  const { findings } = await checked(withDisks(Strict));
  const refused = findings.filter(({ rule }) => rule === 'C31');
  assert.equal(
    [...new Set(brief(refused))],
    [
      'C31 disk/v1alpha1 Disk.Rescan',
      // Asked for a disk that was seen by then.
      'C31 disk/v1alpha1 Disk.GetDiskNumberByName',
      'C31 disk/v1beta1 Disk.Rescan',
      'C31 disk/v1beta2 Disk.Rescan',
      'C31 disk/v1beta3 Disk.Rescan',
      'C31 disk/v1 Disk.Rescan',
    ],
  );
  assert.match(refused[0]?.text ?? '', /^recorded call \d+, \{\}, is refused now: PERMISSION_DENIED, not now$/);
});

test("C31 finds that paths with a '~' are refused: kubelet's are, below the folder of its CSI volumes", async () => {
  const check = PathRules.prototype.check;
  PathRules.prototype.check = function (path) {
    if (path.includes('~')) throw new StatusError(Code.InvalidArgument, `path contains invalid characters: ${path}`);
    check.call(this, path);
  };
  try {
    const { findings } = await checked(allGroups);
    const refused = new Set(
      findings.filter(({ rule }) => rule === 'C31').map(({ group, version }) => `${group}/${version}`),
    );
    const withPaths = Object.entries(allServices).filter(([group]) => group === 'filesystem' || group === 'smb');
    const expected = withPaths.flatMap(([group, versions]) => Object.keys(versions).map((one) => `${group}/${one}`));
    assert.equal([...refused].sort(), expected.sort());
  } finally {
    PathRules.prototype.check = check;
  }
});

test('C32 finds a server that answers otherwise', async () => {
  class Larger extends DiskServer {
    override async getDiskStats(...call: Parameters<DiskServer['getDiskStats']>) {
      return { totalBytes: (await super.getDiskStats(...call)).totalBytes + 1n };
    }
  }
  const { findings } = await checked(withDisks(Larger));
  assert.equal([...new Set(brief(findings))], ['C32 disk/v1beta3 Disk.GetDiskStats', 'C32 disk/v1 Disk.GetDiskStats']);
  assert.match(
    findings[0]?.text ?? '',
    /^recorded call \d+, \{"diskNumber":1\}, was answered \{"totalBytes":"10737418240"\}, and now \{"totalBytes":"10737418241"\}$/,
  );
});

test('what nobody serves is not checked, and that is said', async () => {
  const { findings, notChecked } = await checked(allGroups.filter(({ group }) => group !== 'system'));
  assert.equal(findings, []);
  assert.equal(
    notChecked.map(({ reason }) => reason),
    ['there is no server of system/v1alpha1 to make the recorded calls of'],
  );
});

test('a person writes an RPC and a request; the outcome is added, and a secret is not written', async () => {
  const mapping = { remotePath: '\\\\files\\data', username: 'EXAMPLE\\node', password: 'my-own-secret' };
  const text = await recorded(
    'smb',
    'v1',
    JSON.stringify({ calls: [{ rpc: 'NewSmbGlobalMapping', request: mapping }] }),
  );
  assert.equal(JSON.parse(text), {
    calls: [{ rpc: 'NewSmbGlobalMapping', request: { ...mapping, password: '***' }, response: {} }],
  });
  // A name may be that of the proto.
  const secret = { rpc: 'ConnectTarget', request: { iqn: 'x', chap_secret: 'my-own-secret' } };
  assert.not.match(await recorded('iscsi', 'v1alpha2', JSON.stringify({ calls: [secret] })), 'my-own-secret');
});

for (const [title, call, expected] of [
  ['without a request', { rpc: 'Rescan' }, /^'recorded\.json', call 1: expected "rpc" and "request"$/],
  ['of no RPC', { rpc: 'Format', request: {} }, /^'recorded\.json', call 1: there is no RPC 'Format'$/],
  [
    'with an unknown field',
    { rpc: 'GetDiskStats', request: { disk: 1 } },
    /call 1: .* has no field 'disk'; its fields: /,
  ],
  ['with a wrong value', { rpc: 'GetDiskStats', request: { diskNumber: -1 } }, /call 1: diskNumber: /],
] as const) {
  test(`a call ${title} is not recorded`, async () => {
    try {
      await recorded('disk', 'v1', JSON.stringify({ calls: [call] }));
    } catch (error) {
      assert.instance(error, TerminalError);
      assert.match((error as Error).message, expected);
      return;
    }
    assert.unreachable();
  });
}

test.run();
