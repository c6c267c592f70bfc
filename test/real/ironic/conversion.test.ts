// needs: kube
// A real API server converts by Troupe's webhooks: hosts that are stored as v1alpha1 and read as v1beta1, and the way to
// v1beta1 and on, with a migration that is killed on the way. KUBECONFIG.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type JsonObject, TransientError } from '../../../bus/mod.ts';
import { CRDS, HOSTS_CRD, type Scene, withScene } from './scene.ts';

const MERGE = 'application/merge-patch+json';
const COUNT = 1_000;
/** That have details of their hardware. */
const INSPECTED = 50;

interface Host extends JsonObject {
  readonly metadata: JsonObject & { readonly name: string; readonly resourceVersion: string; readonly uid: string };
}

const IMAGE = { url: 'http://images/x.qcow2', checksum: 'd41d8cd98f00b204e9800998ecf8427e' };

/** Of all the sorts that conversion tells apart. */
const SPECS: readonly JsonObject[] = [
  { online: true },
  {
    online: false,
    hardwareProfile: 'dell',
    bmc: { address: 'redfish://b/redfish/v1/Systems/1', credentialsName: 's' },
  },
  { online: true, image: IMAGE, rootDeviceHints: { deviceName: '/dev/sda', model: 'M', vendor: 'V' } },
  {
    online: true,
    image: { ...IMAGE, checksum: 'a'.repeat(64) },
    bmc: { address: 'libvirt://b/1', credentialsName: 's' },
  },
  {
    online: true,
    hardwareProfile: 'empty',
    raid: { softwareRAIDVolumes: [{ level: '1', physicalDisks: [{ deviceName: '/dev/a' }, { model: 'x' }] }] },
  },
  {
    online: true,
    image: { url: 'http://images/live.iso', format: 'live-iso' },
    description: 'ä "quoted" \\ line\nline',
  },
];

function host(at: number): JsonObject {
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name: `host-${String(at).padStart(4, '0')}`, labels: { at: String(at) }, annotations: { rack: '7' } },
    spec: SPECS[at % SPECS.length] as JsonObject,
  };
}

const STATUS: JsonObject = {
  errorCount: 0,
  errorMessage: '',
  operationalStatus: 'OK',
  poweredOn: true,
  hardwareProfile: 'unknown',
  provisioningFailCount: 0,
  hardware: {
    hostname: 'node',
    storage: [{ name: '/dev/sda', sizeBytes: 1_000_204_886_016, rotational: true }],
    nics: [{ name: 'eth0', mac: '00:5c:52:31:3a:9c' }],
    cpu: { arch: 'x86_64', count: 8, clockMegahertz: 2100.5 },
    ramMebibytes: 65536,
  },
  provisioning: { ID: 'x', state: 'available', image: { url: '' } },
};

const kubeconfig = process.env['KUBECONFIG'];

/** A definition that has changed takes the API server some time. */
function list({ client, hosts, until }: Scene, version: 'v1alpha1' | 'v1beta1'): Promise<readonly Host[]> {
  return until('a list', async () => {
    try {
      const { body } = await client.call({ method: 'GET', path: hosts(version) });
      return body['items'] as unknown as readonly Host[];
    } catch (error) {
      if (error instanceof TransientError) return undefined;
      throw error;
    }
  });
}

/** All that is of an object, whichever write was the last. */
const content = ({ metadata: { resourceVersion: _, ...metadata }, ...rest }: Host): JsonObject => ({
  ...rest,
  metadata,
});

async function definition({ client }: Scene): Promise<JsonObject> {
  return (await client.call({ method: 'GET', path: HOSTS_CRD })).body;
}

function migration(
  rate: number,
  ...more: readonly string[]
): { readonly process: ChildProcess; readonly ended: Promise<{ code: number | null; text: string }> } {
  const file = fileURLToPath(new URL('./migrate-process.ts', import.meta.url));
  const process_ = spawn(process.execPath, ['--conditions=@troupe/source', file, String(rate), ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  process_.stdout?.on('data', (chunk: Buffer) => (text += chunk));
  const ended = new Promise<{ code: number | null; text: string }>((resolve) =>
    process_.on('close', (code) => resolve({ code, text })),
  );
  return { process: process_, ended };
}

if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const test = suite('ironic: conversion by a real API server');

  test(`${COUNT} hosts go to v1beta1 and back, through a migration that is killed, and stay what they are`, () =>
    withScene(kubeconfig, async (scene) => {
      const { client, clock, define, hosts, answered, namespace, until } = scene;
      await define(1);
      for (let at = 0; at < COUNT; at += 50) {
        const some = Array.from({ length: 50 }, (_, index) => host(at + index));
        await Promise.all(some.map((body) => client.call({ method: 'POST', path: hosts('v1alpha1'), body })));
      }
      for (const { metadata } of (await list(scene, 'v1alpha1')).slice(0, INSPECTED)) {
        const path = `${hosts('v1alpha1', metadata.name)}/status`;
        await client.call({
          method: 'PATCH',
          path,
          contentType: 'application/merge-patch+json',
          body: { status: STATUS },
        });
      }
      const before = await list(scene, 'v1alpha1');
      // As after a start of the API server, which keeps what it has converted: of a definition that changes all is read anew.
      const webhook = { conversionReviewVersions: ['v1', 'v1beta1'] };
      await client.call({
        method: 'PATCH',
        path: HOSTS_CRD,
        contentType: MERGE,
        body: { spec: { conversion: { webhook } } },
      });
      await clock.sleep(2_000);
      answered.length = 0;
      const startedAt = clock.now();
      const converted = await list(scene, 'v1beta1');
      const tookMs = Math.round(clock.now() - startedAt);
      const ownMs = Math.round(answered.reduce((sum, { durationMs }) => sum + durationMs, 0));
      process.stdout.write(
        `${COUNT} hosts listed in v1beta1 in ${tookMs} ms; ${answered.length} reviews took ${ownMs} ms\n`,
      );
      assert.is(converted.length, COUNT);
      assert.ok(converted.every((each) => each['apiVersion'] === 'metal3.io/v1beta1'));
      const [, dell, , digest] = converted.slice(60, 66).map((each) => each['spec'] as JsonObject);
      assert.equal(dell?.['rootDeviceHints'], { hctl: '0:0:0:0' });
      assert.equal(digest?.['image'], { ...IMAGE, checksum: 'a'.repeat(64), checksumType: 'auto' });
      // Through v1beta1 nothing comes of a write that changes nothing.
      for (const each of converted.slice(0, 20)) {
        await client.call({ method: 'PUT', path: hosts('v1beta1', each.metadata.name), body: each });
      }
      for (const [at, each] of (await list(scene, 'v1alpha1')).entries()) {
        assert.equal(specOf(each), specOf(before[at] as Host));
      }

      await define(2);
      const tried = await migration(50, '--dry-run').ended;
      assert.is(tried.code, 0, tried.text);
      assert.match(tried.text, new RegExp(`baremetalhosts\\.metal3\\.io  v1beta1  ${COUNT} objects would be written`));
      const versions = async (): Promise<ReadonlyMap<string, string>> =>
        new Map((await list(scene, 'v1beta1')).map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
      const untouched = await versions();
      const first = migration(200);
      await until('a third of it', async () => {
        const { annotations = {} } = (await definition(scene))['metadata'] as { annotations?: Record<string, string> };
        const { done = 0 } = JSON.parse(annotations['troupe/storage-migration'] ?? '{}') as { done?: number };
        return done >= COUNT / 3 ? done : undefined;
      });
      first.process.kill('SIGKILL');
      await first.ended;
      const stopped = await versions();
      const written = [...untouched].filter(([name, version]) => stopped.get(name) !== version).length;
      assert.ok(written >= COUNT / 3 && written < COUNT, `${written} were written when it was killed`);
      assert.equal(((await definition(scene))['status'] as JsonObject)['storedVersions'], ['v1alpha1', 'v1beta1']);
      const second = await migration(1_000).ended;
      assert.is(second.code, 0, second.text);
      const [, again = '', earlier = ''] =
        /baremetalhosts\.metal3\.io {2}v1beta1 {2}(\d+) rewritten, (\d+) by an earlier run/.exec(second.text) ?? [];
      process.stdout.write(`killed after ${written} hosts; the next run wrote ${again}, and left ${earlier}\n`);
      assert.is(Number(again) + Number(earlier), COUNT);
      assert.ok(Number(earlier) >= COUNT / 3);
      const all = await versions();
      assert.is([...untouched].filter(([name, version]) => all.get(name) === version).length, 0, 'each was written');
      const { metadata, status } = await definition(scene);
      assert.equal((status as JsonObject)['storedVersions'], ['v1beta1']);
      assert.is((metadata as { annotations?: JsonObject }).annotations?.['troupe/storage-migration'], undefined);
      assert.match((await migration(50).ended).text, /baremetalhosts\.metal3\.io {2}v1beta1 {2}nothing to do/);

      const after = await list(scene, 'v1alpha1');
      const unchanged = new Set(before.slice(20).map(({ metadata: { name } }) => name));
      for (const [at, each] of after.entries()) {
        if (unchanged.has(each.metadata.name)) assert.equal(content(each), content(before[at] as Host));
        else assert.equal(specOf(each), specOf(before[at] as Host));
      }
      const { body: data } = await client.call({
        method: 'GET',
        path: `/apis/metal3.io/v1beta1/namespaces/${namespace}/hardwaredata`,
      });
      assert.is((data['items'] as unknown as readonly Host[]).length, INSPECTED, 'what was found out is kept');
      // Nobody converts any more: what was still stored in v1alpha1 could not be read.
      await define(4);
      answered.length = 0;
      assert.equal((await list(scene, 'v1beta1')).length, COUNT);
      assert.is(answered.length, 0);
      const { conversion } = (await definition(scene))['spec'] as JsonObject;
      assert.equal(conversion, { strategy: 'None' });
      const { body: crd } = await client.call({ method: 'GET', path: `${CRDS}/dataimages.metal3.io` });
      assert.equal((crd['status'] as JsonObject)['storedVersions'], ['v1beta1']);
    }));

  test.run();
}

function specOf({ metadata, spec, status }: Host): JsonObject {
  const { name, labels, annotations } = metadata as JsonObject;
  return {
    name: name ?? null,
    labels: labels ?? null,
    annotations: annotations ?? null,
    spec: spec ?? null,
    status: status ?? null,
  };
}
