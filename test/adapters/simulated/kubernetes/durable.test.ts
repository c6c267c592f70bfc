// A server with a folder: what clients see across restarts, and when the disk is full.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, realFiles } from '../../../../adapters/simulated/kubernetes/storage/files.ts';
import { dig } from '../../../../adapters/text/json.ts';
import { TerminalError } from '../../../../bus/errors.ts';
import { DEFINITIONS, type Harness, listAt, MERGE, started, type Way } from '../../../world/api-calls.ts';
import { byWebhook, host, hosts, startConverter, V1, V2 } from './converter.ts';
import { WIDGET_PATH, WIDGETS, widget } from './widgets.ts';

const test = suite('embedded api server: durable');
const onFolder = (title: string, ...given: Parameters<typeof withFolder>): void =>
  void test(title, withFolder(...given));

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

function withFolder(run: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-durable-'));
    try {
      await run(join(folder, 'api'));
    } finally {
      await rm(folder, { recursive: true });
    }
  };
}

/** Runs something against a server that is closed afterwards. */
async function during<T>(
  options: { folder: string; files?: Files },
  run: (harness: Harness) => Promise<T>,
  by?: Way,
): Promise<T> {
  const harness = await started(options, by);
  try {
    return await run(harness);
  } finally {
    await harness.close();
  }
}

onFolder(
  'everything survives a restart: objects, definitions, names in use, the identity and the port',
  async (folder) => {
    const before = await during(
      { folder },
      async ({ server, call }) => {
        assert.is((await call('POST', DEFINITIONS, { body: WIDGETS })).code, 201);
        assert.is((await call('POST', WIDGET_PATH, { body: widget('w') })).code, 201);
        assert.is((await call('POST', MAPS, { body: map('m', { a: 'b' }) })).code, 201);
        assert.is((await call('PATCH', `${MAPS}/m`, { body: { data: { a: 'c' } }, type: MERGE })).code, 200);
        const [all, widgets] = [await call('GET', '/api/v1/configmaps'), await call('GET', WIDGET_PATH)];
        return { kubeconfig: server.kubeconfig(), all: all.body['items'], widgets: widgets.body };
      },
      'sockets',
    );
    await during(
      { folder },
      async ({ server, call }) => {
        assert.is(server.kubeconfig(), before.kubeconfig);
        assert.equal((await call('GET', '/api/v1/configmaps')).body['items'], before.all);
        const widgets = (await call('GET', WIDGET_PATH)).body;
        assert.equal(widgets['items'], before.widgets['items']);
        assert.ok(
          Number(widgets['metadata']?.['resourceVersion']) >= Number(before.widgets['metadata']?.['resourceVersion']),
        );
        assert.is((await call('POST', MAPS, { body: map('m') })).code, 409);
        assert.is((await call('POST', WIDGET_PATH, { body: widget('w', { size: 11 }) })).code, 422);
      },
      'sockets',
    );
  },
);

onFolder('the folder and its files are for their owner alone', async (folder) => {
  await during({ folder }, async ({ call }) => assert.is((await call('POST', MAPS, { body: map('m') })).code, 201));
  assert.is((await stat(folder)).mode & 0o777, 0o700);
  const names = await readdir(folder);
  assert.equal(names.sort(), ['identity.json', 'lock', 'log-000001']);
  for (const name of names) assert.is((await stat(join(folder, name))).mode & 0o777, 0o600, name);
});

onFolder('a second server of the same folder is refused, also in the same process', async (folder) => {
  await during({ folder }, async () => {
    try {
      await started({ folder });
      assert.unreachable();
    } catch (error) {
      assert.instance(error, TerminalError);
      assert.match((error as Error).message, `the folder '${folder}' is in use by another API server`);
    }
  });
  await during({ folder }, async () => undefined);
});

onFolder('a watch goes on after a restart from where it was, and is told when it cannot', async (folder) => {
  const revision = await during({ folder }, async ({ call }) => {
    const { body } = await call('POST', MAPS, { body: map('one') });
    await call('POST', MAPS, { body: map('two') });
    await call('DELETE', `${MAPS}/one`);
    return Number(body['metadata']?.['resourceVersion']);
  });
  await during({ folder }, async ({ call, watch }) => {
    const events = await watch(`${MAPS}?watch=1&resourceVersion=${revision}`);
    await call('POST', MAPS, { body: map('three') });
    for (const [type, name] of [
      ['ADDED', 'two'],
      ['DELETED', 'one'],
      ['ADDED', 'three'],
    ]) {
      const event = await events.next();
      assert.equal([event?.type, event?.object['metadata']?.['name']], [type, name]);
    }
    events.stop();
    const tooOld = await watch(`${MAPS}?watch=1&resourceVersion=1`);
    const event = await tooOld.next();
    assert.equal([event?.type, event?.object['code'], event?.object['reason']], ['ERROR', 410, 'Expired']);
  });
});

onFolder('what controllers had begun goes on after a restart', async (folder) => {
  await during({ folder }, async ({ call }) => {
    await call('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } },
    });
    const held = { ...map('m'), metadata: { name: 'm', finalizers: ['example.org/hold'] } };
    assert.is((await call('POST', '/api/v1/namespaces/n/configmaps', { body: held })).code, 201);
    assert.is((await call('DELETE', '/api/v1/namespaces/n')).code, 200);
  });
  await during({ folder }, async ({ call }) => {
    const { body } = await call('GET', '/api/v1/namespaces/n');
    assert.is(body['status']?.['phase'], 'Terminating');
    const free = { metadata: { finalizers: null } };
    await call('PATCH', '/api/v1/namespaces/n/configmaps/m', { body: free, type: MERGE });
    assert.is((await call('GET', '/api/v1/namespaces/n')).code, 404);
  });
});

/** The file system, with a disk that is full when told so. */
function fillable(): { files: Files; isFull: boolean } {
  const disk = {
    isFull: false,
    files: {
      ...realFiles,
      async open(path: string) {
        const file = await realFiles.open(path);
        return {
          ...file,
          write: (bytes: Buffer, position: number) => {
            if (!disk.isFull) return file.write(bytes, position);
            return Promise.reject(
              Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
            );
          },
        };
      },
    },
  };
  return disk;
}

onFolder(
  'when the disk is full, writes say what to do, reads and watches show what is stored, and writes work again later',
  async (folder) => {
    const disk = fillable();
    await during({ folder, files: disk.files }, async ({ call, watch }) => {
      assert.is((await call('POST', MAPS, { body: map('before', { a: '1' }) })).code, 201);
      const { body: list } = await call('GET', MAPS);
      const events = await watch(`${MAPS}?watch=1&resourceVersion=${list['metadata']?.['resourceVersion']}`);

      disk.isFull = true;
      const refused = await Promise.all([
        call('POST', MAPS, { body: map('during') }),
        call('PATCH', `${MAPS}/before`, { body: { data: { a: '2' } }, type: MERGE }),
        call('DELETE', `${MAPS}/before`),
        call('POST', '/api/v1/namespaces', {
          body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'full' } },
        }),
      ]);
      for (const { code, body } of refused) {
        if (code === 409 || code === 404) continue; // it met what another one wrote
        assert.equal([code, body['kind'], body['reason']], [500, 'Status', 'InternalError']);
        assert.is(
          body['message'],
          `Internal error occurred: there is no space for '${folder}/log-000001' (ENOSPC: no space left on device, write): nothing of this was stored, and all that was stored before is safe; make room there and try again`,
        );
      }
      const reads = await Promise.all([
        call('POST', MAPS, { body: map('during') }),
        call('GET', MAPS),
        call('GET', `${MAPS}/during`),
        call('GET', `${MAPS}/before`),
      ]);
      assert.equal(
        reads.map(({ code }) => code),
        [500, 200, 404, 200],
      );
      assert.equal(reads[1].body['items'], list['items']);
      assert.is(reads[3].body['data']?.['a'], '1');

      disk.isFull = false;
      let made = await call('POST', MAPS, { body: map('after') });
      while (made.code === 500) made = await call('POST', MAPS, { body: map('after') });
      assert.is(made.code, 201);
      const event = await events.next();
      assert.equal([event?.type, event?.object['metadata']?.['name']], ['ADDED', 'after']);
      events.stop();
    });
    await during({ folder }, async ({ call }) => {
      const { body } = await call('GET', MAPS);
      assert.equal(
        listAt(body['items']).map((item) => dig(item, 'metadata', 'name')),
        ['after', 'before', 'kube-root-ca.crt'],
      );
      assert.is((await call('GET', '/api/v1/namespaces/full')).code, 404);
    });
  },
);

onFolder('what follows from a write is undone with it, and follows when it succeeds', async (folder) => {
  const disk = fillable();
  await during({ folder, files: disk.files }, async ({ call }) => {
    const { body: owner } = await call('POST', MAPS, { body: map('owner') });
    const [uid, name] = [owner['metadata']?.['uid'], owner['metadata']?.['name']];
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
    await call('POST', MAPS, { body: { ...map('owned'), metadata: { name: 'owned', ownerReferences } } });
    await call('POST', DEFINITIONS, { body: WIDGETS });
    disk.isFull = true;
    assert.is((await call('DELETE', `${MAPS}/owner`)).code, 500);
    assert.is((await call('DELETE', `${DEFINITIONS}/widgets.example.org`)).code, 500);
    assert.is((await call('GET', `${MAPS}/owned`)).code, 200);
    assert.is((await call('GET', WIDGET_PATH)).code, 200);
    disk.isFull = false;
    for (const path of [`${MAPS}/owner`, `${DEFINITIONS}/widgets.example.org`]) {
      while ((await call('DELETE', path)).code === 500);
    }
    assert.is((await call('GET', `${MAPS}/owned`)).code, 404);
    assert.is((await call('GET', WIDGET_PATH)).code, 404);
  });
});

onFolder(
  'integers of 64 bits survive a restart digit by digit, and so does what lists showed before',
  async (folder) => {
    const large = '"size":3,"anything":{"x":9007199254740993}';
    const body = `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"w"},"spec":{${large}}}`;
    const before = await during({ folder }, async ({ call }) => {
      await call('POST', DEFINITIONS, { body: WIDGETS });
      assert.is((await call('POST', WIDGET_PATH, { body })).code, 201);
      const { text, body: list } = await call('GET', WIDGET_PATH);
      assert.match(text, '"x":9007199254740993}');
      await call('PATCH', `${WIDGET_PATH}/w`, { type: MERGE, body: { spec: { size: 4 } } });
      return { text, revision: String(list['metadata']?.['resourceVersion']) };
    });
    await during({ folder }, async ({ call }) => {
      assert.match((await call('GET', `${WIDGET_PATH}/w`)).text, '"x":9007199254740993}');
      const exact = (revision: string) =>
        call('GET', `${WIDGET_PATH}?resourceVersion=${revision}&resourceVersionMatch=Exact`);
      assert.is((await exact(before.revision)).text, before.text);
      assert.is((await exact('1')).code, 410, 'what is not known');
    });
  },
);

onFolder('what a webhook converts is answered only when it is stored, too', async (folder) => {
  const disk = fillable();
  const converter = await startConverter();
  try {
    await during({ folder, files: disk.files }, async ({ call }) => {
      assert.is((await call('POST', DEFINITIONS, { body: hosts(byWebhook(converter)) })).code, 201);
      const body = host('v2', 'a', { hostname: 'h', port: 7 });
      disk.isFull = true;
      const [refused, list] = await Promise.all([call('POST', V2, { body }), call('GET', V2)]);
      assert.is(refused.code, 500);
      assert.match(String(refused.body['message']), /there is no space for/);
      assert.equal(list.body['items'], []);
      assert.is((await call('GET', `${V1}/a`)).code, 404);
      disk.isFull = false;
      assert.is((await call('POST', V2, { body })).code, 201);
    });
    await during({ folder, files: disk.files }, async ({ call }) => {
      assert.equal((await call('GET', `${V2}/a`)).body['spec'], { hostname: 'h', port: 7, color: 'blue' });
    });
  } finally {
    await converter.close();
  }
});

test.run();
