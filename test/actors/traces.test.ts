// What one write of a user leads to can be followed through mail, events, calls, the log and Kubernetes Events.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeTraceparent, traceIdOf, workTraceparent } from '../../actors/base/change-trace.ts';
import type { JsonObject } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { inMemory } from '../world/environments.ts';
import { CREDENTIALS, checkIn, type Event, type World } from '../world/world.ts';

const test = suite('traces');
const check = checkIn(test, inMemory);

function tracesOf(events: readonly Event[]): readonly string[] {
  return [...new Set(events.map(({ traceparent }) => traceIdOf(traceparent)))];
}

/** `traceparent` of the mail to `to`, by topic and author. */
async function readMessagesOf(world: World, to: string): Promise<Readonly<Record<string, string | undefined>>> {
  const mail = (await world.mail()).filter(({ subject }) => subject.to.name === to);
  return Object.fromEntries(
    mail.map(({ subject, traceparent }) => [
      'from' in subject ? `${subject.topic} ${subject.from.name}` : subject.topic,
      traceparent,
    ]),
  );
}

check('the write of a subnet leads to its claim, its create and its events; its wait is linked', async (world) => {
  const [net, sub] = [world.name('net'), world.name('sub')];
  const resource = { networkRef: net, ipVersion: 4, cidr: '192.0.2.0/24' };
  // First who waits, so that there is a wait to be seen.
  const [written] = (await world.apply(world.managed('Subnet', sub, resource))) as unknown as [KubeObject];
  await world.progressing('Subnet', sub, 'Progressing', `Waiting for Network/${net} to be created`);
  const [awaited] = (await world.apply(world.managed('Network', net))) as unknown as [KubeObject];
  await world.available('Subnet', sub);
  const [trace, other] = [traceIdOf(changeTraceparent(written)), traceIdOf(changeTraceparent(awaited))];
  assert.is.not(trace, other);

  // Its echoes have overwritten the mail of the write, and tell of the same change.
  assert.is((await readMessagesOf(world, sub))['object'], changeTraceparent(written));
  assert.is((await readMessagesOf(world, net))[`claim ${sub}`], workTraceparent(written));
  assert.is((await readMessagesOf(world, sub))[`ready ${net}`], workTraceparent(awaited));
  assert.is(traceIdOf((await readMessagesOf(world, CREDENTIALS))[`claim ${sub}`]), trace);

  const events = world.eventsOf('Subnet', sub);
  assert.equal(tracesOf(events), [trace]);
  const created = events.filter(
    ({ type, data }) => type === 'call' && data['method'] === 'POST' && data['service'] === 'network',
  );
  assert.equal(
    created.map(({ data, traceparent }) => [data['path'], traceparent]),
    [['/subnets', workTraceparent(written)]],
  );
  assert.match(String(created[0]?.data['requestId']), /^req-[0-9a-f-]{36}$/);
  const links = events.flatMap(({ data }) => (data['links'] as readonly string[] | undefined) ?? []);
  assert.ok(links.includes(workTraceparent(awaited)), links.join());
  assert.equal(tracesOf(world.eventsOf('Network', net)), [other]);

  const lines = world.logs.filter(({ msg, name }) => msg === 'state changed' && name === sub);
  assert.equal([...new Set(lines.map(({ traceId }) => traceId))], [trace]);

  await world.eventually('its Kubernetes Event names the trace', async () => {
    const { body } = await world.client.call({ method: 'GET', path: `/api/v1/namespaces/${world.namespace}/events` });
    const reported = (body['items'] as readonly JsonObject[]).filter(
      ({ involvedObject }) => (involvedObject as JsonObject)['name'] === sub,
    );
    const traces = reported.map(
      ({ metadata }) => (metadata as unknown as KubeObject['metadata']).annotations?.['troupe/traceparent'],
    );
    return traces.length > 0 && traces.every((each) => each === workTraceparent(written)) ? undefined : traces.join();
  });
});

check(
  'a claim on what rests is answered in the trace of the claim, and each edit is a trace of its own',
  async (world) => {
    const [net, sub] = [world.name('net'), world.name('sub')];
    await world.apply(world.managed('Network', net));
    await world.available('Network', net);
    await world.eventually('the network rests', () => {
      const last = world.eventsOf('Network', net, 'transition').at(-1)?.data['to'];
      return last === 'idle.available' ? undefined : String(last);
    });
    const resource = { networkRef: net, ipVersion: 4, cidr: '192.0.2.0/24' };
    const [written] = (await world.apply(world.managed('Subnet', sub, resource))) as unknown as [KubeObject];
    await world.available('Subnet', sub);
    assert.is(traceIdOf((await readMessagesOf(world, sub))[`ready ${net}`]), traceIdOf(changeTraceparent(written)));

    const before = world.events.length;
    const edited = (await world.patch('Subnet', sub, {
      spec: { resource: { description: 'edited' } },
    })) as unknown as KubeObject;
    const isChange = ({ type, data }: Event): boolean => type === 'call' && data['method'] === 'PUT';
    await world.eventually('the cloud is told', () =>
      world.events.slice(before).some(isChange) ? undefined : 'not yet',
    );
    assert.equal(tracesOf(world.events.slice(before).filter(isChange)), [traceIdOf(changeTraceparent(edited))]);
    assert.is.not(traceIdOf(changeTraceparent(edited)), traceIdOf(changeTraceparent(written)));
  },
);

test.run();
