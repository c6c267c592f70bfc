// `troupe bus credentials`: keys, certificates and permissions of the bus, made once and replaced without a restart.
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { makeAuthority, certify as signed } from '../../../adapters/kubernetes/tls/certificates.ts';
import { parseGoDuration } from '../../../adapters/text/go-duration.ts';
import type { BusUser, Clock } from '../../../bus/mod.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { systemClock } from '../../base/clock.ts';
import { readConfig, rolesWith } from '../../base/config.ts';
import { USER_AGENT } from '../../base/version.ts';
import { adaptersOf, moreAdaptersIn } from '../../process/adapters.ts';
import { rolesOnBus, userOf } from '../../process/bus-user.ts';
import { parsed } from '../command-line.ts';
import {
  advanced,
  type Book,
  bookText,
  type Certify,
  filesOf,
  Phase,
  type Place,
  parseBook,
  placeOf,
  SERVER,
} from './book.ts';
import { folderStore, type Store, secretStore } from './store.ts';
import { USAGES } from './usage.ts';

/** Place of the book itself. */
const BOOK: Place = 'book';
const BOOK_FILE = 'book.json';
const SERVICE = 'troupe-nats';

export interface CredentialsDeps {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly out: NodeJS.WritableStream;
  readonly clock?: Clock;
}

/** @returns the exit code. @throws {TerminalError} a call that makes no sense */
export async function credentials(
  args: readonly string[],
  { env, cwd, out, clock = systemClock() }: CredentialsDeps,
): Promise<number> {
  const { values, positionals } = parsed(USAGES.credentials, args);
  const [extra] = positionals;
  if (extra !== undefined) throw new TerminalError(`'troupe bus credentials' goes without '${extra}'`);
  const adapters = await adaptersOf(
    { ...moreAdaptersIn(env), ...(values.adapters && { adapters: values.adapters.join() }) },
    cwd,
  );
  const users = usersOf(adapters, values.user ?? []);
  const { natsPrefix: root, kubeconfig, inCluster } = readConfig(env, { kubeconfig: values.kubeconfig });
  const wanted = {
    users,
    now: clock.now(),
    graceMs: duration('grace', values.grace),
    rotate: values.rotate,
    rotateAfterMs: values['rotate-after'] === undefined ? undefined : duration('rotate-after', values['rotate-after']),
  };
  const say = (line: string): void => void out.write(`${line}\n`);
  if (values.folder !== undefined && !values.secrets) {
    const hosts = values.host ?? [];
    await bringUpToDate(folderStore(values.folder), { ...wanted, hosts }, root, say);
    return 0;
  }
  if (values.folder !== undefined || !values.secrets) {
    throw new TerminalError("'troupe bus credentials' goes with one of --folder and --secrets");
  }
  if (kubeconfig === undefined && inCluster === undefined) {
    throw new TerminalError('KUBECONFIG is not set and this is no pod; --folder writes files');
  }
  const client = kubeClient({ clock, kubeconfig, inCluster, env, userAgent: USER_AGENT });
  try {
    const namespace = values.namespace ?? client.namespace;
    const hosts =
      values.host ??
      ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map((rest) => SERVICE + rest);
    await bringUpToDate(secretStore(client, namespace), { ...wanted, hosts }, root, say);
  } finally {
    await client.close();
  }
  return 0;
}

/** All users of a deployment. @throws {TerminalError} one is named that cannot be, or two have one name */
export function usersOf(
  adapters: readonly Pick<Adapter, 'realm' | 'role' | 'route'>[],
  more: readonly string[],
): readonly BusUser[] {
  const needed = rolesWith(adapters);
  const all = rolesOnBus(adapters);
  const named = more.map((text) => {
    const [roles = '', node, ...rest] = text.split('@');
    const names = roles.split(',').map((role) => role.trim());
    const unknown = names.find((role) => !all.includes(role));
    if (unknown !== undefined || rest.length > 0 || node === '') {
      throw new TerminalError(
        `--user must be of ${all.join(', ')}, comma-separated, or one '@' per node; got '${text}'`,
      );
    }
    if (node !== undefined && !adapters.some(({ role }) => role === roles)) {
      throw new TerminalError(`--user: only an adapter alone is served for a node; got '${text}'`);
    }
    return userOf(new Set(names), adapters, node);
  });
  const standard = [userOf(new Set(needed), adapters), ...needed.map((role) => userOf(new Set([role]), adapters))];
  // A process that plays all roles and more than these has the same name: it has the permissions of those named.
  const isWidened = ({ name, roles }: BusUser): boolean =>
    named.some((other) => other.name === name && other.roles.length > roles.length);
  const users: readonly BusUser[] = [
    ...standard.filter((user) => !isWidened(user)),
    ...named,
    { name: 'observer', roles: [{ does: 'observe' }] },
  ];
  const places = [BOOK, SERVER, ...users.map(placeOf)];
  const twice = places.find((place, at) => places.indexOf(place) !== at);
  if (twice === undefined) return users;
  throw new TerminalError(`two users of the bus would be called '${twice}'`);
}

async function bringUpToDate(
  store: Store,
  wanted: Parameters<typeof advanced>[1],
  root: string | undefined,
  say: (line: string) => void,
): Promise<void> {
  const kept = (await store.read(BOOK))?.[BOOK_FILE];
  const before = kept === undefined ? undefined : parseBook(kept);
  const book = await advanced(before, wanted, certify);
  // First, so that after any failure of this run the next one continues with the same.
  const places = new Map([[BOOK, { [BOOK_FILE]: bookText(book) }], ...filesOf(book, wanted.users, root)]);
  let written = 0;
  for (const [place, files] of places) {
    const has = await store.read(place);
    if (has !== undefined && Object.entries(files).every(([name, text]) => has[name] === text)) continue;
    await store.write(place, files);
    written += 1;
    say(`${store.nameOf(place)} written`);
  }
  if (written === 0) say('nothing to change');
  say(progress(before, book, wanted));
}

function progress(
  before: Book | undefined,
  { phase, since }: Book,
  { now, graceMs }: { now: number; graceMs: number },
): string {
  if (phase === Phase.Steady) {
    return before !== undefined && before.phase !== phase
      ? 'the rotation is done: what was there before is refused from now on'
      : 'no rotation is under way';
  }
  const minutes = Math.ceil(Math.max(0, since + graceMs - now) / 60_000);
  const next = phase === Phase.Announced ? 'what is new is used' : 'what is old is refused';
  return `a rotation is under way: with the next run in ${minutes} minutes or later, ${next}`;
}

/** An authority that signs this certificate, and whose key is forgotten then. */
const certify: Certify = async (hosts, now) => {
  const authority = await makeAuthority(`troupe-bus-ca-${Math.floor(now)}`, now);
  const { certificate, key } = await signed(authority, { name: 'troupe-nats', hosts }, now);
  return { authority: authority.certificate, certificate, key };
};

function duration(name: string, text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) : parseGoDuration(text);
  if (ms !== undefined && ms >= 0) return ms;
  throw new TerminalError(`--${name} must be a Go duration such as 10m; got '${text}'`);
}
