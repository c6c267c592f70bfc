// Options of this adapter on the command line and in the environment; the variables are those of the
// baremetal-operator.
import { TerminalError } from '../../bus/errors.ts';
import type { Flag, FlagValue, Settings } from '../api/adapter.ts';
import { wholeNumber } from '../api/settings.ts';
import type { EgressPolicyOptions } from '../http/egress-policy.ts';
import { REACH_FLAGS, reachIn } from '../http/egress-policy-options.ts';
import { CONNECTION_FLAGS, type ConnectionOptions, connectionOptions } from './client/options.ts';
import { type DeploySettings, deploySettings, type Environment } from './host/deploy-settings.ts';
import type { SwitchSecrets } from './host/switch-configs.ts';

export interface IronicOptions {
  readonly connection: ConnectionOptions;
  readonly deploy: DeploySettings;
  /** Nodes that may be busy at a time, with what loads Ironic. */
  readonly provisioningLimit: number;
  /** Maximum number of tries of one image on a host; 0: unlimited. */
  readonly maxProvisioningRetries: number;
  /** Builder of PreprovisioningImages: none, or Troupe. */
  readonly preprovisioningImages: 'none' | 'built';
  /** Factor by which simulated machines, polls and retries are faster than real ones. */
  readonly speed: number;
  /** Whether HostClaims get hosts. */
  readonly hostClaims: 'none' | 'served';
  /** Allowed addresses of URLs that tenants specify: BMCs, images and the like. Undefined: any address. */
  readonly reach?: EgressPolicyOptions;
  /** Where BareMetalSwitches are rendered; undefined: they are not. */
  readonly switches?: SwitchSecrets | undefined;
  /** Ironic has no network of its own to boot machines from. */
  readonly isProvisioningNetworkDisabled: boolean;
  /** Address of Ironic for machines with a BMC of IPv6; undefined if it is the same as for others. */
  readonly externalUrlV6: string | undefined;
}

export const FLAGS = [
  ...CONNECTION_FLAGS,
  ...REACH_FLAGS,
  {
    name: 'provisioning-limit',
    variable: 'PROVISIONING_LIMIT',
    value: 'N',
    fallback: '20',
    help: 'hosts that are inspected, deployed or cleaned at a time; those that boot from virtual media are not counted',
  },
  {
    name: 'max-provisioning-retries',
    variable: 'TROUPE_MAX_PROVISIONING_RETRIES',
    value: 'N',
    fallback: '5',
    help: 'how often an image that fails is tried again on a host; 0 for ever',
  },
  {
    name: 'build-preprov-image',
    variable: 'TROUPE_BUILD_PREPROV_IMAGE',
    value: 'true|false',
    fallback: 'false',
    help: 'whether hosts have PreprovisioningImages, which are made of the URLs DEPLOY_ISO_URL and the like',
  },
  {
    name: 'ironic-speed',
    variable: 'TROUPE_IRONIC_SPEED',
    value: 'N',
    fallback: '1',
    help: 'how many times as fast as real ones machines are, and how much sooner they are looked at or what failed is tried again; for simulated ones',
  },
  {
    name: 'hostclaims',
    variable: 'TROUPE_HOSTCLAIMS',
    value: 'true|false',
    fallback: 'false',
    help: 'whether HostClaims get hosts, of their own namespace and of those whose HostDeployPolicies let them',
  },
] as const satisfies readonly Flag[];

/** Read beside the flags, named as hosts know them. */
const VARIABLES = [
  ...['DEPLOY_ISO', 'DEPLOY_KERNEL', 'DEPLOY_RAMDISK'].flatMap((part) => [
    `${part}_URL`,
    `${part}_BY_ARCH`,
    ...['X86_64', 'AARCH64', 'PPC64LE', 'S390X', 'RISCV64'].map((architecture) => `${part}_URL_${architecture}`),
  ]),
  'LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE',
  'DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE',
] as const;

/**
 * Reads the options; no file is touched.
 *
 * @throws {TerminalError} names the flag or variable, the rule, and what it got
 */
export function ironicOptions(settings: Settings): IronicOptions {
  const { flag, variable } = settings;
  const isBuilding = truthOf(flag('build-preprov-image'));
  const environment: Environment = Object.fromEntries(VARIABLES.map((name) => [name, variable(name)]));
  return {
    connection: connectionOptions(settings),
    deploy: deploySettings(environment, { hasBuilder: isBuilding }),
    provisioningLimit: wholeNumber(flag('provisioning-limit'), { fallback: 20, least: 1, unit: 'hosts' }),
    maxProvisioningRetries: wholeNumber(flag('max-provisioning-retries'), { fallback: 5, least: 0, unit: 'retries' }),
    preprovisioningImages: isBuilding ? 'built' : 'none',
    speed: speedIn(settings),
    hostClaims: truthOf(flag('hostclaims')) ? 'served' : 'none',
    reach: reachIn(settings),
    switches: switchesIn(variable),
    isProvisioningNetworkDisabled: truthOf({
      name: 'PROVISIONING_NETWORK_DISABLED',
      value: variable('PROVISIONING_NETWORK_DISABLED'),
    }),
    externalUrlV6: variable('IRONIC_EXTERNAL_URL_V6') || undefined,
  };
}

/** @throws {TerminalError} names the flag or variable, the rule, and what it got */
export function speedIn({ flag }: Pick<Settings, 'flag'>): number {
  return wholeNumber(flag('ironic-speed'), { fallback: 1, least: 1, unit: 'times' });
}

/** @throws {TerminalError} it is switched on, and not said where */
function switchesIn(variable: Settings['variable']): SwitchSecrets | undefined {
  const name = 'IRONIC_NETWORKING_ENABLED';
  if (!truthOf({ name, value: variable(name) })) return undefined;
  const given = (part: string): string => {
    const value = variable(part);
    if (value) return value;
    throw new TerminalError(`${part} must be set where ${name} is true`);
  };
  const [configs, credentials] = [given('IRONIC_SWITCH_CONFIGS_SECRET'), given('IRONIC_SWITCH_CREDENTIALS_SECRET')];
  if (configs === credentials) {
    throw new TerminalError(
      `IRONIC_SWITCH_CONFIGS_SECRET and IRONIC_SWITCH_CREDENTIALS_SECRET must differ; both are '${configs}'`,
    );
  }
  return { configs, credentials, credentialsPath: given('IRONIC_SWITCH_CREDENTIALS_PATH') };
}

function truthOf({ name, value }: FlagValue): boolean {
  const text = (value || 'false').toLowerCase();
  if (text !== 'true' && text !== 'false') throw new TerminalError(`${name} must be true or false; got '${value}'`);
  return text === 'true';
}
