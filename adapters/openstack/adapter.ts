// OpenStack as an adapter: what the runtime is given of it.
import { readFile } from 'node:fs/promises';
import { TerminalError, toErrorData } from '../../bus/errors.ts';
import type { Adapter, Configured, ConfiguredAdapter, Operations, Served, ServePorts } from '../adapter.ts';
import { reachOf } from '../reach.ts';
import { downloads } from './downloads.ts';
import { Drift } from './drift.ts';
import { signIns } from './examination.ts';
import { REALM } from './kinds/common-contract.ts';
import { namesOf } from './kinds/kind.ts';
import { KINDS } from './kinds/registry.ts';
import { lookUps } from './look-ups.ts';
import { declaredKind } from './managed-kind.ts';
import { BUSY_RESYNC_MS, FLAGS, type OpenStackOptions, openstackOptions } from './options.ts';
import { poller } from './poller.ts';
import { LATE_MS } from './refusals.ts';
import { openstackScaffold } from './scaffold.ts';
import { openStackSessions, type SessionsDeps } from './sessions.ts';

export const openstack: Adapter = {
  realm: REALM,
  role: REALM,
  contracts: KINDS.map(({ contract }) => contract),
  makes: KINDS.flatMap(({ plural, owns }) =>
    owns === undefined ? [] : [{ owner: plural, owned: namesOf(owns).plural }],
  ),
  flags: FLAGS,
  // The lease that its leader holds.
  predecessor: { name: 'ORC', lease: 'f35396c5.k-orc.cloud' },
  configure: (settings) => configured(openstackOptions(settings)),
  // The simulator is for development: no pod loads it.
  counterpart: async (ports) => (await import('./counterpart.ts')).counterpart(ports),
  scaffold: openstackScaffold,
  async checked() {
    const [{ contractTrial }, { EXEMPTIONS }] = await Promise.all([
      import('./contract-trial.ts'),
      import('./contract-exemptions.ts'),
    ]);
    const kinds = KINDS.map((kind) => ({ contract: kind.contract, trial: contractTrial(kind) }));
    return { kinds, exemptions: EXEMPTIONS };
  },
};

/** The adapter with options that are no text. */
export function openstackWith(options: OpenStackOptions): ConfiguredAdapter {
  return { ...openstack, ...configured(options) };
}

function configured(options: OpenStackOptions): Configured {
  const { defaultResyncMs = 0, drift = Drift.Repair } = options;
  return {
    kinds: KINDS.map((kind) => declaredKind(kind, { defaultResyncMs, drift })),
    warnings:
      defaultResyncMs > 0 && defaultResyncMs < BUSY_RESYNC_MS
        ? ['a default resync period below two minutes loads the clouds']
        : [],
    lateMs: LATE_MS,
    serve: (ports) => serve(options, ports),
    async examine(ports) {
      const settings = await settingsOf(options, ports.apiServer);
      const { clock, version } = ports;
      return signIns(ports, (readSecret) => openStackSessions({ clock, version, readSecret, ...settings }));
    },
  };
}

/** What of the options sessions are opened with. @throws {TerminalError} one turns out to be wrong */
async function settingsOf(
  { callsInFlight, defaultCaFile, proxy, reach, transport }: OpenStackOptions,
  apiServer: string | undefined,
): Promise<Omit<SessionsDeps, 'clock' | 'version' | 'readSecret'>> {
  const defaultCa = defaultCaFile === undefined ? undefined : await readCa(defaultCaFile);
  return {
    ...(callsInFlight !== undefined && { callsInFlight }),
    ...(defaultCa !== undefined && { defaultCa }),
    ...(proxy !== undefined && { proxy }),
    ...(reach !== undefined && { reach: reachOf({ ...reach, apiServer }) }),
    ...(transport !== undefined && { transport }),
  };
}

async function serve(
  options: OpenStackOptions,
  { clock, version, apiServer, readSecret, onCall, sharers }: ServePorts,
): Promise<Served> {
  const settings = await settingsOf(options, apiServer);
  const { proxy, reach: given } = settings;
  const sessions = openStackSessions({ clock, version, readSecret, onCall, sharers, ...settings });
  const files =
    options.downloads?.(clock) ??
    downloads({ clock, version, proxy, reach: given ?? reachOf({ allow: ['*'], deny: [] }) });
  const looks = lookUps({ clock });
  const polls = poller({ clock, lookUps: looks });
  const deps = {
    clock,
    downloads: files,
    sessions,
    lookUps: looks,
    poller: polls,
    readSecret,
  };
  const operations = Object.fromEntries(KINDS.map((kind) => [kind.plural, { ...kind.operations(deps) }]));
  return {
    operations: operations satisfies Operations,
    load: () => sessions.load(),
    async close() {
      polls.close();
      await Promise.all([files.close(), sessions.close()]);
    },
  };
}

async function readCa(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { message } = toErrorData(error);
    throw new TerminalError(`--default-ca-certs must name a file that can be read; got '${path}': ${message}`);
  }
}
