// Looks for secrets wherever something may have been told: in every spelling, in everything that anybody can read.
import { readdir, readFile } from 'node:fs/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import * as assert from 'uvu/assert';
import { resourcePath } from '../../adapters/kubernetes/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { KINDS, resourceOf, type World } from '../world/world.ts';

/** Of a text of which whoever sees it knows nothing: long enough to be no accident. */
const LEAST = 6;

/** The texts themselves, as JSON and URLs spell them, and what they look like inside of longer texts in base64. */
export function spellings(texts: readonly string[]): RegExp {
  const all = new Set(texts.flatMap((text) => [...plain(text), ...base64(text)]));
  for (const text of all) assert.ok(text.length >= LEAST, `'${text}' may be anywhere`);
  return new RegExp([...all].map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'));
}

function plain(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [text, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(text)];
}

/** At each of three positions, without the characters that neighbors have a part in; as URLs have it, too. */
function base64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const inner = [Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6)] as const;
    return [padded.toString('base64').slice(...inner), padded.toString('base64url').slice(...inner)];
  });
}

export interface Wire {
  readonly messages: readonly string[];
  /** Everything that the server keeps: mail, events, leases. */
  kept(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Everything that goes over a NATS server, requests and answers included. */
export async function listen(world: World): Promise<Wire> {
  const { nats } = world.ground;
  const messages: string[] = [];
  if (nats === undefined) return { messages, kept: async () => [], close: async () => undefined };
  const { hostname, port, username, password } = new URL(nats.url);
  const login = username === '' ? {} : { user: username, pass: password };
  const spy = await connect({ servers: `${hostname}:${port || 4222}`, ...login });
  spy.subscribe('>', {
    callback: (_error, message) => {
      const headers = [...(message.headers ?? [])].join(' ');
      messages.push(`${message.subject} ${headers} ${new TextDecoder().decode(message.data)}`);
    },
  });
  await spy.flush();
  return { messages, kept: () => keptBy(spy), close: () => spy.close() };
}

async function keptBy(connection: NatsConnection): Promise<readonly string[]> {
  const ask = async (operation: string, request: JsonObject = {}): Promise<JsonObject> =>
    (await connection.request(`$JS.API.${operation}`, JSON.stringify(request))).json();
  const { streams } = await ask('STREAM.NAMES');
  const kept: string[] = [];
  for (const stream of (streams ?? []) as readonly string[]) {
    for (let seq = 1; ; seq++) {
      // The next one, as many have been replaced; it is refused when there is none.
      const { message } = await ask(`STREAM.MSG.GET.${stream}`, { seq, next_by_subj: '>' });
      if (message === undefined) break;
      const found = message as unknown as { readonly subject: string; readonly seq: number; readonly data?: string };
      kept.push(`${found.subject} ${Buffer.from(found.data ?? '', 'base64')}`);
      seq = found.seq;
    }
  }
  return kept;
}

/** Where it was looked, and how many things there were. */
export type Looked = Readonly<Record<string, number>>;

/** Fails and says where, if one of the secrets is anywhere but in a Secret. @param figures  the metrics page */
export async function searchAll(world: World, pattern: RegExp, wire: Wire, figures: string): Promise<Looked> {
  const kinds = KINDS.filter((kind) => kind !== 'Secret');
  const stored = await Promise.all(
    kinds.map(async (kind) => {
      const { body } = await world.client.call({
        method: 'GET',
        path: resourcePath(resourceOf(kind), world.namespace),
      });
      return body['items'] as unknown as readonly JsonObject[];
    }),
  );
  const seen = world.follower.everSeen().flatMap((key) => {
    const [kind = '', name = ''] = key.split('/');
    return kind === 'Secret' ? [] : world.follower.history(kind, name);
  });
  const path = `/api/v1/namespaces/${world.namespace}/events`;
  const { body } = await world.client.call({ method: 'GET', path });
  const places = {
    mail: await world.mail(),
    log: world.logs,
    events: world.events,
    wire: wire.messages,
    kept: await wire.kept(),
    objects: stored.flat(),
    'earlier objects': seen,
    'Kubernetes Events': body['items'] as unknown as readonly JsonObject[],
    metrics: [figures],
    processes: await commandLines(),
  };
  for (const [where, things] of Object.entries(places)) {
    for (const thing of things) {
      const text = typeof thing === 'string' ? thing : JSON.stringify(thing ?? null);
      assert.not.match(text, pattern, `${where}: ${text}`);
    }
  }
  return Object.fromEntries(Object.entries(places).map(([where, things]) => [where, things.length]));
}

/** What `ps` shows of every process; where there is no /proc, of this one alone. */
async function commandLines(): Promise<readonly string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return [process.argv.join(' '), ...lines.map((line) => line.replaceAll('\0', ' '))];
}
