// long
// A server that is killed in the middle of a burst of writes, again and again: nothing that it acknowledged is lost.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import type { Served } from './served.ts';

const test = suite('embedded api server: killed');

/** As many as there is time for; CI sets more. */
const KILLS = Number(process.env['KILLS'] ?? 5);
const IN_FLIGHT = 64;
const MAPS = '/api/v1/namespaces/default/configmaps';
const CHILD = fileURLToPath(new URL('./served.ts', import.meta.url));

const seed = Number(process.env['SEED'] ?? 20_261_121);
const { random } = systemClock({ seed });

/** Of one object: what was acknowledged last, and what was asked since without an answer. Undefined is absence. */
interface Known {
  value: string | undefined;
  doubt: { readonly value: string | undefined } | undefined;
}

/** What writers and watchers were told, over all lives of the server. */
class Reported {
  readonly objects = new Map<string, Known>();
  /** Greatest revision in any answer or event. */
  revision = 0;
  acknowledged = 0;
  last = 0;
  #wake = (): void => undefined;

  acknowledge(): void {
    this.acknowledged++;
    this.#wake();
  }

  /** Waits until so many writes were acknowledged. */
  async until(count: number): Promise<void> {
    while (this.acknowledged < count) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  of(name: string): Known {
    const known = this.objects.get(name) ?? { value: undefined, doubt: undefined };
    this.objects.set(name, known);
    return known;
  }
}

interface Reply {
  readonly code: number;
  readonly text: string;
}

/** @throws {Error} the connection broke before the whole answer was there */
function call(served: Served, agent: Agent, method: string, path: string, body?: object): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${served.token}`, 'content-type': type };
    const outgoing = request(`${served.url}${path}`, { method, agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const revisionOf = (text: string): number => Number(/"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? 0);

/** Writes until the server is gone; one write of an object at a time. */
async function write(reported: Reported, served: Served, agent: Agent, writer: number): Promise<void> {
  for (;;) {
    const name = `m-${writer}-${Math.floor(random() * 4)}`;
    const known = reported.of(name);
    const value = String(++reported.last);
    const data = { data: { value } };
    const [method, path, body, next] =
      known.value === undefined
        ? (['POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...data }, value] as const)
        : random() < 0.3
          ? (['DELETE', `${MAPS}/${name}`, undefined, undefined] as const)
          : (['PATCH', `${MAPS}/${name}`, data, value] as const);
    known.doubt = { value: next };
    let reply: Reply;
    try {
      reply = await call(served, agent, method, path, body);
    } catch (error) {
      assert.ok(['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? ''));
      return;
    }
    assert.is(reply.code, method === 'POST' ? 201 : 200, reply.text);
    known.value = next;
    known.doubt = undefined;
    reported.acknowledge();
    if (method !== 'DELETE') reported.revision = Math.max(reported.revision, revisionOf(reply.text));
  }
}

/** Follows a watch until the server is gone: what it shows must be there afterwards, and revisions only grow. */
async function watch(reported: Reported, served: Served, agent: Agent): Promise<void> {
  const headers = { authorization: `Bearer ${served.token}` };
  const path = `${MAPS}?watch=1&resourceVersion=${reported.revision}`;
  const outgoing = request(`${served.url}${path}`, { agent, headers });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [AsyncIterable<Buffer>];
  let rest = '';
  let last = reported.revision;
  try {
    for await (const chunk of response) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        assert.not.match(line, '"type":"ERROR"');
        const revision = revisionOf(line);
        assert.ok(revision > last, 'events come in the order of revisions');
        last = revision;
        reported.revision = Math.max(reported.revision, revision);
      }
    }
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, 'ECONNRESET');
  }
}

/** Compares what is there with what was told, and goes on from it. */
async function check(reported: Reported, served: Served, agent: Agent): Promise<void> {
  const { text } = await call(served, agent, 'GET', MAPS);
  const list = JSON.parse(text) as {
    metadata: { resourceVersion: string };
    items: { metadata: { name: string; resourceVersion: string }; data: { value: string } }[];
  };
  assert.ok(Number(list.metadata.resourceVersion) >= reported.revision, 'the revision went back');
  const found = new Map(list.items.map(({ metadata, data }) => [metadata.name, data.value]));
  found.delete('kube-root-ca.crt');
  for (const name of found.keys()) assert.ok(reported.objects.has(name), `nobody made '${name}'`);
  for (const [name, known] of reported.objects) {
    const value = found.get(name);
    const isRight = value === known.value || (known.doubt !== undefined && value === known.doubt.value);
    assert.ok(isRight, `'${name}' is ${value}, was told ${known.value}, in doubt ${known.doubt?.value}`);
    known.value = value;
    known.doubt = undefined;
  }
  reported.revision = Number(list.metadata.resourceVersion);
}

test(`killed ${KILLS} times during a burst of writes, with ${IN_FLIGHT} in flight (seed ${seed})`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-killed-'));
  const reported = new Reported();
  try {
    for (let kill = 0; kill <= KILLS; kill++) {
      const child = fork(CHILD, [join(folder, 'api')]);
      try {
        const [served] = (await once(child, 'message')) as [Served];
        const agent = new Agent({ ca: served.caCertificate, keepAlive: true, maxSockets: IN_FLIGHT + 1 });
        try {
          await check(reported, served, agent);
          if (kill === KILLS) break;
          const until = reported.acknowledged + 50 + Math.floor(random() * 400);
          const burst = [watch(reported, served, agent)];
          for (let writer = 0; writer < IN_FLIGHT; writer++) burst.push(write(reported, served, agent, writer));
          await Promise.race([reported.until(until), Promise.all(burst)]);
          child.kill('SIGKILL');
          await Promise.all(burst);
        } finally {
          agent.destroy();
        }
      } finally {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL');
          await once(child, 'exit');
        }
      }
    }
    assert.ok(reported.acknowledged > KILLS * 50);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
