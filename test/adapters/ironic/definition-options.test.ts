// How people say which definitions of metal3.io a cluster is to have, and what they are told.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { crd } from '../../../adapters/api/contract/crds.ts';
import { DEFINITION_FLAGS, metal3Definitions } from '../../../adapters/ironic/definition-options.ts';
import { makeAuthority } from '../../../adapters/kubernetes/tls/certificates.ts';
import { type JsonObject, TerminalError, toErrorData } from '../../../bus/mod.ts';

const test = suite('ironic: options of definitions');

interface Options {
  readonly phase?: string;
  readonly webhook?: string;
  readonly ca?: string;
}

async function defined({ phase, webhook, ca }: Options) {
  const values: Readonly<Record<string, string | undefined>> = {
    'metal3-phase': phase,
    'metal3-webhook': webhook,
    'metal3-webhook-ca': ca,
  };
  return metal3Definitions({
    flag(name) {
      assert.ok(DEFINITION_FLAGS.some((flag) => flag.name === name));
      return { name: `--${name}`, value: values[name] };
    },
  });
}

async function conversionOf(options: Options): Promise<unknown> {
  const [host] = await defined(options);
  if (host === undefined) throw new Error('there is no kind');
  return (crd(host)['spec'] as JsonObject)['conversion'];
}

async function refusal(options: Options): Promise<string> {
  try {
    await defined(options);
  } catch (error) {
    assert.instance(error, TerminalError);
    return toErrorData(error).message;
  }
  return assert.unreachable() as never;
}

async function inFolder(run: (write: (name: string, text: string) => Promise<string>) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-definitions-'));
  try {
    await run(async (name, text) => {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('nobody who says nothing needs a webhook, and neither does who has one version', async () => {
  assert.is(await conversionOf({}), undefined);
  assert.is(await conversionOf({ phase: '0' }), undefined);
  assert.equal(await conversionOf({ phase: '4' }), { strategy: 'None' });
  // The environment may go on saying what other phases need.
  assert.is(await conversionOf({ webhook: 'nonsense', ca: '/nowhere' }), undefined);
});

test('the Service, its port and its authority are where the API server looks for them', () =>
  inFolder(async (write) => {
    const { certificate } = await makeAuthority('of a test', systemClock().now());
    const ca = await write('ca.crt', certificate);
    const clientConfigOf = async (options: Options): Promise<unknown> =>
      ((await conversionOf(options)) as { webhook: { clientConfig: unknown } }).webhook.clientConfig;
    assert.equal(await clientConfigOf({ phase: '1', webhook: 'metal3/troupe-webhooks', ca }), {
      service: { path: '/convert', namespace: 'metal3', name: 'troupe-webhooks' },
      caBundle: Buffer.from(certificate).toString('base64'),
    });
    assert.equal(await clientConfigOf({ phase: '3', webhook: 'a/b:9443' }), {
      service: { path: '/convert', namespace: 'a', name: 'b', port: 9443 },
    });
  }));

test('what is missing or wrong is told with what to type', async () => {
  for (const phase of ['5', '-1', '1.0', 'one', ' 1']) {
    assert.is(await refusal({ phase }), `--metal3-phase must be 0, 1, 2, 3 or 4; got '${phase}'`);
  }
  for (const phase of ['1', '2', '3']) {
    assert.is(
      await refusal({ phase }),
      `--metal3-phase ${phase} has two versions, which a webhook has to convert between: name its Service with --metal3-webhook NAMESPACE/NAME`,
    );
  }
  for (const webhook of [
    'b',
    'a/',
    '/b',
    'a/b/c',
    'A/b',
    'a/9b',
    'a/b:0',
    'a/b:65536',
    'a/b:',
    'https://a/b',
    'a/b ',
  ]) {
    assert.is(
      await refusal({ phase: '1', webhook }),
      `--metal3-webhook must be NAMESPACE/NAME of a Service, such as troupe-system/troupe-webhooks; got '${webhook}'`,
    );
  }
});

test('the file of the authority holds certificates, and no key is shown to the cluster', () =>
  inFolder(async (write) => {
    const given = { phase: '1', webhook: 'a/b' };
    const { certificate, key } = await makeAuthority('of a test', systemClock().now());
    assert.match(
      await refusal({ ...given, ca: '/nowhere/ca.crt' }),
      /^--metal3-webhook-ca must name a file that can be read; got '\/nowhere\/ca\.crt': ENOENT/,
    );
    const text = await write('text', 'no certificate');
    assert.is(await refusal({ ...given, ca: text }), `--metal3-webhook-ca: '${text}' holds no certificate in PEM`);
    const both = await write('both', `${certificate}\n${key}`);
    const said = await refusal({ ...given, ca: both });
    assert.is(said, `--metal3-webhook-ca: '${both}' holds a private key; it must hold certificates alone`);
  }));

test.run();
