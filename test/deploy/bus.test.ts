// The manifests of the bus agree with each other and with the command that they run; nats-server takes the configuration, and
// the reloader has it read again what has changed.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placeOf } from '../../actors/cli/bus/book.ts';
import { credentials, usersOf } from '../../actors/cli/bus/credentials.ts';
import { BUILT_IN } from '../../actors/process/adapters.ts';
import { clock, until } from '../bus/harness.ts';
import { findNatsServer } from '../world/environments.ts';
import { written } from '../world/written.ts';
import { everyAdapter, everything, installed, one } from './manifests.ts';

const test = suite('manifests of the bus');

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Pods {
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
}

const objects = installed();

const jobArgs = (): readonly string[] => {
  const { spec } = one<{ spec: { template: { spec: Pods } } }>(objects, 'Job', /^troupe-bus-credentials-[0-9a-f]{8}$/);
  return spec.template.spec.containers[0]?.args ?? [];
};

test('the Job makes what the Role names, and the CronJob the same', () => {
  const args = jobArgs();
  assert.equal(args.slice(0, 3), ['bus', 'credentials', '--secrets']);
  const cron = one<{ spec: { jobTemplate: { spec: { template: { spec: Pods } } } } }>(
    objects,
    'CronJob',
    'troupe-bus-rotation',
  );
  const more = cron.spec.jobTemplate.spec.template.spec.containers[0]?.args ?? [];
  assert.equal(more, [...args, '--rotate-after=2160h']);

  const named = args.flatMap((arg) => (arg.startsWith('--user=') ? [arg.slice('--user='.length)] : []));
  for (const [manifests, adapters] of [
    [objects, BUILT_IN],
    [everything(), everyAdapter()],
  ] as const) {
    const places = ['book', 'server', ...usersOf(adapters, named).map(placeOf)];
    const { rules } = one<{
      rules: readonly { resourceNames: readonly string[]; verbs: readonly string[] }[];
    }>(manifests, 'Role', 'troupe-bus');
    assert.equal([...(rules[0]?.resourceNames ?? [])].sort(), places.map((place) => `troupe-bus-${place}`).sort());
    assert.equal(rules[0]?.verbs, ['get', 'create', 'patch']);
    assert.is(rules.length, 1);
  }
});

test('pods show the key of the user who plays their roles, and know whom to trust', () => {
  const { spec } = one<{ spec: { template: { spec: Pods } } }>(objects, 'Deployment', 'troupe');
  const [container] = spec.template.spec.containers;
  const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
  assert.equal(
    [env['NATS_URL'], env['NATS_NKEY'], env['NATS_CA']],
    ['tls://troupe-nats:4222', '/etc/troupe/bus/nkey', '/etc/troupe/bus/ca.crt'],
  );
  assert.equal(
    container?.volumeMounts?.map(({ name, mountPath }) => [name, mountPath]),
    [['bus', '/etc/troupe/bus']],
  );
  assert.is(spec.template.spec.volumes[0]?.secret?.secretName, 'troupe-bus-alone');
});

const found = await findNatsServer();
const program = 'program' in found ? found.program : '';
if ('refusal' in found) console.log(`without NATS: ${found.refusal}`);
const withServer = 'program' in found ? test : (): void => undefined;

withServer('nats-server takes the configuration, and reads it again when it has changed', async () => {
  const { data } = one<{ data: Readonly<Record<string, string>> }>(objects, 'ConfigMap', 'troupe-nats');
  const folder = await mkdtemp(join(tmpdir(), 'troupe-deployed-nats-'));
  const out = written();
  const make = (...flags: readonly string[]): Promise<number> =>
    credentials(['--folder', folder, '--grace', '0', ...flags], { env: {}, cwd: folder, out });
  const [config, log] = [join(folder, 'server'), join(folder, 'nats.log')];
  await make();
  const text = (data['nats.conf'] ?? '')
    .replaceAll('/etc/nats', config)
    .replaceAll('/run/nats', folder)
    .replace('/data', join(folder, 'data'))
    .replace('port: 4222', 'host: 127.0.0.1\nport: -1')
    .replace('http: 127.0.0.1:8222', `log_file: ${JSON.stringify(log)}`);
  await writeFile(join(config, 'nats.conf'), text);
  await writeFile(join(config, 'reload.sh'), data['reload.sh'] ?? '');
  const server = spawn(program, ['-c', join(config, 'nats.conf')], { stdio: 'ignore' });
  let reloader: ReturnType<typeof spawn> | undefined;
  let logged = '';
  const said = async (what: string, times: number): Promise<void> => {
    let isRead = false;
    await until(`'${what}' ${times} times`, () => {
      if (!isRead) {
        isRead = true;
        void readFile(log, 'utf8').then(
          (now) => {
            logged = now;
            isRead = false;
          },
          () => {
            isRead = false;
          },
        );
      }
      return logged.split(what).length > times;
    });
  };
  try {
    await said('Server is ready', 1);
    reloader = spawn('sh', [join(config, 'reload.sh'), config, join(folder, 'nats.pid'), '0.1'], { stdio: 'ignore' });
    await said('Reloaded server configuration', 1);
    await make('--rotate');
    await said('Reloaded server configuration', 2);
    await clock.sleep(500);
    assert.is(logged.split('Reloaded server configuration').length, 3, 'and not without need');
    assert.not.match(logged, '[ERR]');
  } finally {
    reloader?.kill('SIGKILL');
    server.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

test.run();
