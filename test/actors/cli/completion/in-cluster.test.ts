// Completion of what there is in the cluster: namespaces, and the names of objects.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { complete } from '../../../../actors/cli/completion/complete.ts';
import { onSockets } from '../../../world/environments.ts';
import { checkIn } from '../../../world/world.ts';

const test = suite('completion in a cluster');

async function answers(env: NodeJS.ProcessEnv, ...words: readonly string[]): Promise<readonly string[]> {
  const out = new PassThrough();
  const written = text(out);
  await complete(words, env, out, []);
  out.end();
  const [directive, ...lines] = (await written).trimEnd().split('\n').reverse();
  assert.is(directive, ':4');
  return lines.reverse();
}

checkIn(test, onSockets)(
  '35.B: namespaces behind -n, and names of objects in either way to write them',
  async (world) => {
    const [net, other] = [world.name('net'), world.name('other')];
    await world.apply(world.managed('Network', net), world.managed('Network', other));
    const env = { KUBECONFIG: world.ground.kubeconfig };
    const { namespace } = world;
    const begun = namespace.slice(0, -1);
    assert.ok((await answers(env, 'get', '-n', begun)).includes(namespace));
    assert.ok((await answers(env, 'why', `--namespace=${begun}`)).includes(`--namespace=${namespace}`));
    assert.equal(await answers(env, 'why', '-n', namespace, `network/${net.slice(0, -1)}`), [`network/${net}`]);
    assert.equal(await answers(env, 'trace', '-n', namespace, 'networks', ''), [net, other].sort());
    assert.equal(await answers(env, 'tree', '--namespace', namespace, 'subnet/'), []);
    assert.equal(await answers(env, 'tree', '-n', namespace, 'nonsense/'), []);
    // Nobody answers, or nothing leads to a cluster: there are no candidates, and that is no error.
    assert.equal(await answers({ KUBECONFIG: '/dev/null' }, 'get', '-n', ''), []);
  },
  { runtime: 'stopped' },
);

test.run();
