// Deployment settings from the environment: the ramdisk's images, and whether boot devices are set persistently.
import { TerminalError } from '../../../bus/errors.ts';

export const PersistentBootDevice = { Default: 'Default', Always: 'Always', Never: 'Never' } as const;
export type PersistentBootDevice = (typeof PersistentBootDevice)[keyof typeof PersistentBootDevice];

/** URLs of one part of the deploy ramdisk. */
export interface RamdiskUrls {
  /** For machines of any architecture. */
  readonly url?: string;
  /** URL by architecture in lower case, for machines of that architecture. */
  readonly byArchitecture: Readonly<Record<string, string>>;
}

export interface DeploySettings {
  readonly iso: RamdiskUrls;
  readonly kernel: RamdiskUrls;
  readonly ramdisk: RamdiskUrls;
  readonly forcePersistentBootDevice: {
    readonly directDeploy: PersistentBootDevice;
    readonly liveIso: PersistentBootDevice;
  };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from the environment. An empty variable is not set.
 *
 * @param options.hasBuilder whether PreprovisioningImages are built, by this process or by another program
 * @throws {TerminalError} names the variable, the rule, and what it got
 */
export function deploySettings(
  environment: Environment,
  { hasBuilder }: { readonly hasBuilder: boolean },
): DeploySettings {
  const kernel = urlsOf(environment, 'DEPLOY_KERNEL');
  const ramdisk = urlsOf(environment, 'DEPLOY_RAMDISK');
  if (ramdisk.url !== undefined && kernel.url === undefined) {
    throw new TerminalError('DEPLOY_KERNEL_URL must be set where DEPLOY_RAMDISK_URL is; got none');
  }
  // A builder may provide only the ramdisk, and rely on the common kernel.
  if (!hasBuilder && kernel.url !== undefined && ramdisk.url === undefined) {
    throw new TerminalError('DEPLOY_RAMDISK_URL must be set where DEPLOY_KERNEL_URL is; got none');
  }
  return {
    iso: urlsOf(environment, 'DEPLOY_ISO'),
    kernel,
    ramdisk,
    forcePersistentBootDevice: {
      directDeploy: persistentBootDevice(environment, 'DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE'),
      liveIso: persistentBootDevice(environment, 'LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE'),
    },
  };
}

/** The URL for machines of an architecture, which is spelt in any case; undefined: none is set. */
export function urlFor({ url, byArchitecture }: RamdiskUrls, architecture: string): string | undefined {
  const name = architecture.toLowerCase();
  return Object.hasOwn(byArchitecture, name) ? byArchitecture[name] : url;
}

/** A variable of one architecture, such as DEPLOY_ISO_URL_AARCH64, wins over the list. */
function urlsOf(environment: Environment, part: string): RamdiskUrls {
  const prefix = `${part}_URL_`;
  const ofOne = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    name.startsWith(prefix) && value ? [[name.slice(prefix.length).toLowerCase(), value]] : [],
  );
  const url = environment[`${part}_URL`];
  return {
    ...(url ? { url } : {}),
    byArchitecture: Object.fromEntries([...listed(environment, `${part}_BY_ARCH`), ...ofOne]),
  };
}

/** `x86_64:http://one,aarch64:http://other`. Items are not quoted: a URL may hold a password. */
function listed(environment: Environment, variable: string): readonly (readonly [string, string])[] {
  const items = (environment[variable] ?? '').split(',').filter((item) => item.trim() !== '');
  return items.map((item, index) => {
    const [, architecture, url] = /^\s*([\w.-]+)\s*:(?!\/\/)\s*(\S+)\s*$/.exec(item) ?? [];
    if (architecture === undefined || url === undefined) {
      throw new TerminalError(`${variable} must be like x86_64:URL,aarch64:URL; its item ${index + 1} is not`);
    }
    return [architecture.toLowerCase(), url];
  });
}

function persistentBootDevice(environment: Environment, variable: string): PersistentBootDevice {
  const value = environment[variable] || PersistentBootDevice.Default;
  const all = Object.values(PersistentBootDevice);
  const found = all.find((each) => each === value);
  if (found === undefined) throw new TerminalError(`${variable} must be ${all.join(', ')}; got '${value}'`);
  return found;
}
