// OpenStack as an adapter: what the runtime is given of it.
import { readFile } from 'node:fs/promises';
import { TerminalError, toErrorData } from '../../bus/errors.ts';
import type { Adapter, Configured, ConfiguredAdapter, Operations, Served, ServePorts } from '../api/adapter.ts';
import { egressPolicyOf } from '../http/egress-policy.ts';
import { Drift } from './base/object-options.ts';
import { LATE_MS } from './client/call-errors.ts';
import { lookUps } from './client/lookups.ts';
import { poller } from './client/poller.ts';
import { openStackSessions, type SessionsDeps } from './client/sessions.ts';
import { downloads } from './downloads/download-policy.ts';
import { namesOf } from './kinds/kind.ts';
import { KINDS } from './kinds/registry.ts';
import { BUSY_RESYNC_MS, FLAGS, type OpenStackOptions, openstackOptions } from './options.ts';
import { REALM } from './resource/common-contract.ts';
import { declaredKind } from './resource/managed-kind.ts';
import { signIns } from './tools/access-check.ts';
import { openstackScaffold } from './tools/scaffold.ts';

export const openstack: Adapter = {
  realm: REALM,
  role: REALM,
  contracts: KINDS.map(({ contract }) => contract),
  createsKinds: KINDS.flatMap(({ plural, owns }) =>
    owns === undefined ? [] : [{ owner: plural, owned: namesOf(owns).plural }],
  ),
  flags: FLAGS,
  // The lease that its leader holds.
  legacyController: { name: 'ORC', lease: 'f35396c5.k-orc.cloud' },
  configure: (settings) => configured(openstackOptions(settings)),
  // The simulator is for development: no pod loads it.
  devBackend: async (ports) => (await import('./tools/dev-backend.ts')).devBackend(ports),
  scaffold: openstackScaffold,
  async contractChecks() {
    const [{ contractTrial }, { EXEMPTIONS }] = await Promise.all([
      import('./contract-check/trial.ts'),
      import('./contract-check/exemptions.ts'),
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
    lateEffectMs: LATE_MS,
    serve: (ports) => serve(options, ports),
    async checkAccess(ports) {
      const settings = await settingsOf(options, ports.apiServer);
      const { clock, version } = ports;
      return signIns(ports, (readSecret) => openStackSessions({ clock, version, readSecret, ...settings }));
    },
  };
}

/** Options for opening sessions. @throws {TerminalError} one is invalid */
async function settingsOf(
  { callsInFlight, defaultCaFile, proxy, reach, transport }: OpenStackOptions,
  apiServer: string | undefined,
): Promise<Omit<SessionsDeps, 'clock' | 'version' | 'readSecret'>> {
  const defaultCa = defaultCaFile === undefined ? undefined : await readCa(defaultCaFile);
  return {
    ...(callsInFlight !== undefined && { callsInFlight }),
    ...(defaultCa !== undefined && { defaultCa }),
    ...(proxy !== undefined && { proxy }),
    ...(reach !== undefined && { reach: egressPolicyOf({ ...reach, apiServer }) }),
    ...(transport !== undefined && { transport }),
  };
}

async function serve(
  options: OpenStackOptions,
  { clock, version, apiServer, readSecret, onCall, replicaCount }: ServePorts,
): Promise<Served> {
  const settings = await settingsOf(options, apiServer);
  const { proxy, reach: given } = settings;
  const sessions = openStackSessions({ clock, version, readSecret, onCall, replicaCount, ...settings });
  const files =
    options.downloads?.(clock) ??
    downloads({ clock, version, proxy, reach: given ?? egressPolicyOf({ allow: ['*'], deny: [] }) });
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
