// Real counterparts of the tests, as far as the folder beside the checkout brings them: programs that are installed, and
// servers that are started on free ports, in a temporary folder, and are gone at the end.
//
// Invariants:
//   TEST-COUNTERPARTS-1. Nobody's own cluster, cloud or server is used: the variables that name one are set here, or absent.
//   TEST-COUNTERPARTS-2. What was started is ended by its own script, with the settings that it was started with.
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHARED = join(ROOT, '../shared');
const CACHE = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
const TOOLS = join(CACHE, 'troupe-tools');
const POWERDNS = join(TOOLS, 'powerdns');

/** Held by whoever installs packages of Debian: one at a time. */
const APT_LOCK = join(tmpdir(), 'troupe-apt.lock');

export type Env = Readonly<Record<string, string | undefined>>;

/** Variables that name counterparts: none of them is taken over from outside. */
const NAMING = [
  'KUBECONFIG',
  'KUBEBUILDER_ASSETS',
  'OS_CLIENT_CONFIG_FILE',
  'OS_CLOUD',
  'NATS_URL',
  'IRONIC_URL',
  'IRONIC_USERNAME',
  'IRONIC_PASSWORD',
  'BMC_URL',
  'BMC_USERNAME',
  'BMC_PASSWORD',
  'BMC_SYSTEMS',
  'AGENTS_URL',
  'IMAGE_URL',
  'IMAGE_SHA256',
  'TROUPE_PDNS',
  'TROUPE_CHAOS_RESTART_KUBE',
  'TROUPE_CHAOS_RESTART_IRONIC',
  'TROUPE_CHAOS_FORGET_IRONIC',
];

/** The environment of tests without any counterpart. */
export function bareEnv(env: Env): Env {
  const path = [TOOLS, env['PATH'] ?? '', '/usr/local/go/bin'].join(delimiter);
  return { ...env, ...Object.fromEntries(NAMING.map((name) => [name, undefined])), PATH: path };
}

/** A script of bash that brings a counterpart, and how its environment is told. */
export interface Counterpart {
  readonly name: string;
  /** Others that come first. */
  readonly needs: readonly string[];
  /** Why it cannot be had here; undefined: it can. */
  readonly absent: () => string | undefined;
  /** Processors that bringing it keeps busy. */
  readonly load: number;
  readonly limitMs: number;
  /** Brings it. Every line on descriptor 3 is a variable `NAME=value` for whoever needs it. */
  readonly up: (place: Place) => string;
  readonly down?: (place: Place) => string;
}

export interface Place {
  /** A folder of its own. */
  readonly folder: string;
  /** The first of the ports that were found free, when `ports` says which distances are needed. */
  readonly port: number;
}

/** By counterpart: where ports are looked for, and which distances from the first are used. */
export const PORTS: Readonly<Record<string, { readonly first: number; readonly distances: readonly number[] }>> = {
  nats: { first: 24_222, distances: [0] },
  kube: { first: 26_443, distances: [0, 1, 2] },
  openstack: { first: 20_000, distances: [5000, 8774, 8776, 8778, 8786, 9292, 9696] },
  ironic: { first: 10_000, distances: [6385, 8000, 8080, 9999] },
};

const MINUTE_MS = 60_000;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const has = (program: string): boolean =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .concat('/usr/local/go/bin', TOOLS)
    .some((folder) => existsSync(join(folder, program)));

function script(name: string): string {
  return join(SHARED, name);
}

/** What is missing of a script's place and of the programs that it builds or installs with. */
function without(path: string, ...programs: readonly (readonly [string, string])[]): string | undefined {
  if (!existsSync(path)) return `no ${path.slice(SHARED.length - '../shared'.length)}`;
  const missing = programs.find(([program]) => !has(program));
  return missing === undefined ? undefined : `no ${missing[0]}, ${missing[1]}`;
}

function installed(program: string, packages: string, others: readonly string[] = []): Counterpart['up'] {
  const there = [program, ...others].map((each) => `command -v ${each} >/dev/null`).join(' && ');
  return () =>
    `{ ${there}; } || { flock ${APT_LOCK} apt-get update -qq && ` +
    `DEBIAN_FRONTEND=noninteractive flock ${APT_LOCK} apt-get install -qq -y --no-install-recommends ${packages}; }`;
}

function debian(name: string, program: string, packages: string, others?: readonly string[]): Counterpart {
  return {
    name,
    needs: [],
    absent: () => (has(program) || has('apt-get') ? undefined : 'no Debian, whose package it is'),
    load: 1,
    limitMs: 10 * MINUTE_MS,
    up: installed(program, packages, others),
  };
}

function goTool(name: string, build: string): Counterpart {
  return {
    name,
    needs: [],
    absent: () => (has('go') || existsSync(join(TOOLS, name)) ? undefined : 'no Go to build it with'),
    load: 1,
    limitMs: 30 * MINUTE_MS,
    up: () => `[ -x ${quoted(join(TOOLS, name))} ] || { export GOBIN=${quoted(TOOLS)} CGO_ENABLED=0; ${build}; }`,
  };
}

const nats = script('nats/nats.sh');
const kube = script('kube/kube.sh');
const openstack = script('openstack/openstack.sh');
const ironic = script('ironic/ironic.sh');

export const COUNTERPARTS: readonly Counterpart[] = [
  {
    name: 'nats-programs',
    needs: [],
    absent: () => without(nats, ['go', 'to build it with']),
    load: 1,
    limitMs: 15 * MINUTE_MS,
    up: () => `${nats} install && eval "$(${nats} env)" && echo "PATH=$PATH" >&3`,
  },
  {
    name: 'nats',
    needs: ['nats-programs'],
    absent: () => undefined,
    load: 0.1,
    limitMs: MINUTE_MS,
    up: ({
      folder,
      port,
    }) => `nats-server -a 127.0.0.1 -p ${port} -js -sd ${quoted(`${folder}/store`)} >${quoted(`${folder}/log`)} 2>&1 &
      echo $! >${quoted(`${folder}/pid`)}
      for _ in {1..300}; do (exec 4<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && break; sleep 0.1; done
      (exec 4<>/dev/tcp/127.0.0.1/${port}) || { cat ${quoted(`${folder}/log`)}; exit 1; }
      echo "NATS_URL=nats://127.0.0.1:${port}" >&3`,
    down: ({ folder }) => `kill "$(cat ${quoted(`${folder}/pid`)})"`,
  },
  {
    name: 'kube-programs',
    needs: [],
    absent: () => without(kube, ['go', 'to build it with']),
    // Minutes of all processors, once.
    load: existsSync(join(CACHE, 'kube-tools')) ? 0.2 : 2,
    limitMs: 25 * MINUTE_MS,
    up: ({ folder }) => `${kube} install && eval "$(${kube} env ${quoted(folder)})" && echo "PATH=$PATH" >&3`,
  },
  {
    name: 'kube',
    needs: ['kube-programs'],
    absent: () => undefined,
    load: 1,
    limitMs: 5 * MINUTE_MS,
    up: ({ folder, port }) => `export KUBE_PORT=${port} KUBE_ETCD_PORT=${port + 1}
      ${kube} up ${quoted(folder)} && eval "$(${kube} env ${quoted(folder)})" || exit 1
      pid=${quoted(`${folder}/kube-apiserver.pid`)}
      # How chaos kills it, and has it started again. Without its pid file it counts as down, also while nobody has reaped it.
      {
        echo "KUBECONFIG=$KUBECONFIG"
        echo "KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS"
        echo "KUBE_PORT=$KUBE_PORT"
        echo "KUBE_ETCD_PORT=$KUBE_ETCD_PORT"
        echo "TROUPE_CHAOS_RESTART_KUBE=kill -9 \\"\\$(cut -d' ' -f1 $pid)\\"; rm $pid; sleep 1; ${kube} up ${folder}"
      } >&3`,
    down: ({ folder }) => `${kube} clean ${quoted(folder)}`,
  },
  {
    name: 'openstack',
    needs: [],
    absent: () => without(openstack, ['apt-get', 'whose packages it is made of']),
    load: 0.75,
    limitMs: 20 * MINUTE_MS,
    up: ({
      folder,
      port,
    }) => `export OPENSTACK_PORT_OFFSET=${port} OPENSTACK_SERVICES='keystone placement glance neutron nova cinder manila'
      flock ${APT_LOCK} ${openstack} install && ${openstack} up ${quoted(folder)} --fast || exit 1
      { echo "OS_CLIENT_CONFIG_FILE=${folder}/clouds.yaml"; echo 'OS_CLOUD=test'; } >&3`,
    down: ({ folder }) => `${openstack} clean ${quoted(folder)}`,
  },
  {
    name: 'ironic',
    needs: ['genisoimage'],
    absent: () => without(ironic, ['python3', 'that makes virtual environments']),
    load: 0.5,
    limitMs: 10 * MINUTE_MS,
    // An Ironic of its own. Its clouds.yaml would take the place of OpenStack's: of what it says to clients, the rest.
    up: ({ folder, port }) => `export IRONIC_DIR=${quoted(folder)} IRONIC_VENV=${quoted(join(TOOLS, 'ironic'))}
      export IRONIC_BMC_SYSTEMS=12 IRONIC_PORT_OFFSET=${port}
      "$IRONIC_VENV/bin/python" -c '' 2>/dev/null || rm -rf "$IRONIC_VENV" # one whose Python has gone
      ${ironic} up || exit 1
      ${ironic} env | grep -oE '^export (IRONIC_URL|BMC_URL|BMC_USERNAME|BMC_PASSWORD|BMC_SYSTEMS|AGENTS_URL|IMAGE_)[A-Z0-9_]*=.*' | sed -E "s/^export //; s/=['\\"](.*)['\\"]$/=\\1/" >&3
      killed="kill -9 \\"\\$(cut -d' ' -f1 $IRONIC_DIR/run/api.pid)\\"; sleep 1"
      {
        echo "IRONIC_DIR=$IRONIC_DIR"
        echo "IRONIC_VENV=$IRONIC_VENV"
        echo "TROUPE_CHAOS_RESTART_IRONIC=$killed; ${ironic} up"
        echo "TROUPE_CHAOS_FORGET_IRONIC=$killed; rm -f $IRONIC_DIR/data/ironic.sqlite*; ${ironic} up"
      } >&3`,
    down: ({ folder }) => `IRONIC_DIR=${quoted(folder)} IRONIC_VENV=${quoted(join(TOOLS, 'ironic'))} ${ironic} clean`,
  },
  debian('genisoimage', 'genisoimage', 'genisoimage'),
  {
    name: 'powerdns',
    needs: [],
    absent: () =>
      existsSync(POWERDNS) || has('pdns_server') || has('apt-get') ? undefined : 'no Debian, whose package it is',
    load: 0.3,
    limitMs: 10 * MINUTE_MS,
    // Unpacked and not installed: a package of Debian starts its server, and serves port 53.
    up: () => `root=${quoted(POWERDNS)}
      [ -x "$root/usr/sbin/pdns_server" ] || command -v pdns_server >/dev/null || {
        packages=$(mktemp -d) && mkdir "$packages/partial" && flock ${APT_LOCK} apt-get update -qq &&
          flock ${APT_LOCK} apt-get install -qq -y --no-install-recommends --download-only \\
            -o "Dir::Cache::archives=$packages" pdns-server pdns-backend-sqlite3 &&
          for each in "$packages"/*.deb; do dpkg -x "$each" "$root.new" || exit 1; done &&
          mv "$root.new" "$root" && rm -r "$packages"
      } || exit 1
      [ ! -d "$root" ] || echo "TROUPE_PDNS=$root" >&3`,
  },
  debian('chromium', 'chromium', 'chromium'),
  {
    ...debian('wine', 'wine', 'wine64 wine'),
    absent: () =>
      without(script('named-pipes/run-wine.sh')) ??
      (has('wine') || has('apt-get') ? undefined : 'no Debian, whose package it is'),
  },
  debian('image-tools', 'buildah', 'buildah debootstrap', ['debootstrap']),
  goTool('helm', 'go install helm.sh/helm/v4/cmd/helm@v4.3.1'),
  goTool('actionlint', 'go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'),
  goTool('otlp-reader', `cd ${quoted(join(ROOT, 'test/actors/cli/trace/otlp-reader'))} && go install .`),
  goTool(
    'promtool',
    // Its go.mod replaces versions, so that it can be built as a dependency only; without the clients of clouds, for which it
    // needs minutes.
    `work=$(mktemp -d) && cd "$work" && go mod init promtool &&
      go get github.com/prometheus/prometheus/cmd/promtool@v0.312.0 &&
      go install -tags remove_all_sd github.com/prometheus/prometheus/cmd/promtool; code=$?; rm -rf "$work"; (exit $code)`,
  ),
  {
    name: 'go',
    needs: [],
    absent: () => (has('go') ? undefined : 'there is no Go'),
    load: 0.1,
    limitMs: MINUTE_MS,
    up: () => 'go version',
  },
];

/** Nobody listens on a port of this machine. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (free: boolean) => (): void => {
      socket.destroy();
      resolve(free);
    };
    socket.on('connect', end(false));
    socket.on('error', end(true));
  });
}

/**
 * The first number from `first` on such that it plus each distance is a free port. Below the range from which systems take
 * the ports of outgoing connections.
 */
export async function freePorts(first: number, distances: readonly number[]): Promise<number> {
  for (let base = first; base < first + 2_000; base += 50) {
    const free = await Promise.all(distances.map((distance) => isFree(base + distance)));
    if (free.every(Boolean)) return base;
  }
  throw new Error(`no free ports from ${first} on`);
}
