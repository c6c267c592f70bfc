// Stands in for the public command line: sends what chapter 9 of the contract says that it sends, and is as strict about answers.
//
// What it does not do: token endpoints, TLS, tries after 429 and 5xx, columns that are chosen, and most of what is printed.
import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

type Json = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly body: Json;
}

const CLUSTERS = '/api/clusters_mgmt/v1/clusters';
const ACCOUNTS = '/api/accounts_mgmt/v1';
const PAGE = 100;
const FORM = /^[\w-]+\.[\w-]+\.[\w-]*$/;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    token: { type: 'string' },
    url: { type: 'string' },
    parameter: { type: 'string', multiple: true },
    cluster: { type: 'string' },
  },
});
const config = process.env['OCM_CONFIG'] ?? '';

class Refused extends Error {}

async function send(method: string, path: string, body?: string): Promise<Answer> {
  const { url, token } = JSON.parse(readFileSync(config, 'utf8')) as { url: string; token: string };
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: 'application/json',
    'User-Agent': 'OCM-CLI/1.0.0',
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  const type = answer.headers.get('content-type') ?? '';
  // Before the body is looked at.
  if (answer.status !== 204 && !type.startsWith('application/json')) throw new Refused(`the content type is '${type}'`);
  const said = await answer.text();
  return { status: answer.status, body: said === '' ? {} : (JSON.parse(said) as Json) };
}

async function read(path: string, tolerated: readonly number[] = []): Promise<Json | undefined> {
  const { status, body } = await send('GET', path);
  if (status < 400) return body;
  if (tolerated.includes(status)) return undefined;
  throw new Refused(errorText(status, body));
}

function errorText(status: number, { id, code, operation_id: operation, reason }: Json): string {
  if (typeof id !== 'string') throw new Refused('the identifier of the error is no text');
  return `status is ${status}, identifier is '${id}', code is '${code}' and operation identifier is '${operation}': ${reason}`;
}

const query = (of: Record<string, string | number>): string =>
  `?${new URLSearchParams(Object.fromEntries(Object.entries(of).map(([name, value]) => [name, String(value)])))}`;

async function all(path: string, search: string): Promise<readonly Json[]> {
  const items: Json[] = [];
  for (let page = 1; page < 100; page++) {
    const list = (await read(path + query({ page, search, size: PAGE }))) ?? {};
    items.push(...((list['items'] ?? []) as Json[]));
    if (Number(list['size']) < PAGE) return items;
  }
  throw new Refused('there is no end of pages');
}

async function found(key: string): Promise<Json> {
  if (!/^[\w-]+$/.test(key)) throw new Refused(`'${key}' is no key of a cluster`);
  const search = `(display_name = '${key}' or cluster_id = '${key}' or external_cluster_id = '${key}')`;
  const subscriptions = (await read(`${ACCOUNTS}/subscriptions${query({ search, size: 1 })}`)) ?? {};
  const [subscription] = (subscriptions['items'] ?? []) as Json[];
  if (subscriptions['total'] === 1 && /^(Active|Reserved)$/.test(String(subscription?.['status'])))
    return (await read(`${CLUSTERS}/${subscription?.['cluster_id']}`)) ?? {};
  const own = `id = '${key}' or name = '${key}' or external_id = '${key}'`;
  const clusters = (await read(CLUSTERS + query({ search: own, size: 1 }))) ?? {};
  if (clusters['total'] !== 1) throw new Refused(`there are ${clusters['total']} clusters '${key}'`);
  return ((clusters['items'] ?? []) as Json[])[0] ?? {};
}

async function describe(key: string): Promise<string> {
  const cluster = await found(key);
  const link = cluster['subscription'] as Json | undefined;
  const subscription = link && (await read(`${ACCOUNTS}/subscriptions/${link['id']}?fetchLabels=true`, [404]));
  const creator = subscription?.['creator'] as Json | undefined;
  const account = creator && (await read(`${ACCOUNTS}/accounts/${creator['id']}`, [403, 404]));
  const shard = await send('GET', `${CLUSTERS}/${cluster['id']}/provision_shard`);
  if (shard.status >= 500) throw new Refused('it would be asked again');
  return `ID:\t${cluster['id']}\nName:\t${cluster['name']}\nCreator:\t${account?.['email'] ?? ''}\n`;
}

const printed = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

async function run(): Promise<string> {
  const [command = '', what = '', ...rest] = positionals;
  switch (`${command} ${/^(list|describe|cluster)$/.test(command) ? what : ''}`.trim()) {
    case 'login': {
      const { token = '', url = '' } = values;
      const [head = '', claims = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
      const { exp = 0, typ = 'Bearer' } = (FORM.test(token) ? JSON.parse(claims) : { typ: '' }) as Json;
      if (typ !== 'Bearer' || !('alg' in (JSON.parse(head) as Json))) throw new Refused('the token is malformed');
      if (Number(exp) !== 0 && Number(exp) * 1_000 < Date.now()) throw new Refused('the token has expired');
      writeFileSync(config, JSON.stringify({ url, token }));
      return '';
    }
    case 'whoami':
      return printed(await read(`${ACCOUNTS}/current_account`));
    case 'list clusters': {
      const [part] = rest;
      const clusters = await all(CLUSTERS, part === undefined ? '' : `name like '%${part}%' or id like '%${part}%'`);
      return clusters
        .map(({ id, name, api, openshift_version: version, state }) =>
          [id, name, (api as Json | undefined)?.['url'], version, 'NONE', state].join('  '),
        )
        .join('\n');
    }
    case 'list versions':
      return (await all('/api/clusters_mgmt/v1/versions', "enabled = 'true'")).map((each) => each['raw_id']).join('\n');
    case 'list machinepools': {
      const { id } = await found(values.cluster ?? '');
      const pools = await all(`${CLUSTERS}/${id}/machine_pools`, '');
      return pools.map((each) => `${each['id']}  ${each['replicas']}`).join('\n');
    }
    case 'describe cluster':
      return await describe(rest[0] ?? '');
    case 'cluster status': {
      const cluster = (await read(`${CLUSTERS}/${rest[0]}`)) ?? {};
      await read(`${ACCOUNTS}/subscriptions${query({ search: `cluster_id = '${rest[0]}'` })}`);
      return `State:   ${cluster['state']}\n`;
    }
    case 'get':
    case 'post':
    case 'patch':
    case 'delete': {
      const method = command.toUpperCase();
      const more = new URLSearchParams(
        (values.parameter ?? [])
          .map((each) => each.split(/=(.*)/s) as [string, string])
          .map(([name, value]): [string, string] => [name, value]),
      );
      const path = more.size === 0 ? what : `${what}${what.includes('?') ? '&' : '?'}${more}`;
      const hasBody = method === 'POST' || method === 'PATCH';
      const { status, body } = await send(method, path, hasBody ? await text(process.stdin) : undefined);
      if (status < 400) return printed(body);
      throw new Refused(printed(body));
    }
    default:
      throw new Refused(`there is no command '${command} ${what}'`);
  }
}

try {
  process.stdout.write(await run());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
