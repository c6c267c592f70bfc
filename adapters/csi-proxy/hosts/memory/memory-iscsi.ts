// iSCSI of a simulated machine: offered targets, and the machine's portals and sessions.
import { Code, StatusError } from '../../base/status.ts';
import type { IscsiHost, Portal } from '../host.ts';
import type { MemoryDisk, MemoryDisks } from './memory-disks.ts';

export interface MemoryTarget {
  readonly portal: Portal;
  readonly iqn: string;
  readonly disks: readonly MemoryDisk[];
  /** Credentials for a login; undefined if none are needed. */
  readonly chap?: { readonly username: string; secret: string };
  /** With which the target proves who it is. */
  readonly mutualSecret?: string;
}

export class MemoryIscsi {
  readonly #disks: MemoryDisks;
  readonly #isServiceRunning: () => boolean;
  readonly #targets: MemoryTarget[] = [];
  readonly #portals = new Map<string, Portal>();
  /** Connections by the name of the target: a machine has one, whichever portals lead to the target. */
  readonly #connected = new Map<string, MemoryTarget>();
  #mutualSecret = '';

  constructor({ disks, isServiceRunning }: { disks: MemoryDisks; isServiceRunning: () => boolean }) {
    this.#disks = disks;
    this.#isServiceRunning = isServiceRunning;
  }

  offer(target: MemoryTarget): void {
    this.#targets.push(target);
  }

  /** Changes the secret of a target. Connected sessions stay. */
  changeSecret(iqn: string, secret: string): void {
    const chap = this.#targets.find((target) => target.iqn === iqn)?.chap;
    if (chap === undefined) throw new StatusError(Code.NotFound, `no target ${iqn} asks for a secret`);
    chap.secret = secret;
  }

  host(): IscsiHost {
    const asked = <Args extends unknown[], T>(answer: (...args: Args) => Promise<T>) => {
      return async (...args: Args): Promise<T> => {
        if (this.#isServiceRunning()) return answer(...args);
        throw new StatusError(Code.FailedPrecondition, 'the service MSiSCSI is not running');
      };
    };
    return {
      addTargetPortal: asked(async (portal) => {
        this.#portals.set(keyOf(portal), portal);
      }),
      discoverTargetPortal: asked(async (portal) => this.#behind(portal).map(({ iqn }) => iqn)),
      listTargetPortals: asked(async () => [...this.#portals.values()]),
      removeTargetPortal: asked(async (portal) => {
        this.#behind(portal);
        this.#portals.delete(keyOf(portal));
      }),
      connectTarget: asked(async (portal, iqn, { authentication, username, secret }) => {
        const target = this.#target(portal, iqn);
        if (this.#connected.has(iqn)) return;
        const { chap, mutualSecret, disks } = target;
        const isKnown = chap === undefined || (chap.username === username && chap.secret === secret);
        const isProven = mutualSecret === undefined || mutualSecret === this.#mutualSecret;
        if (chap !== undefined && authentication === 'NONE') refuseLogin(iqn);
        if (!isKnown || (authentication === 'MUTUALCHAP' && !isProven)) refuseLogin(iqn);
        this.#connected.set(iqn, target);
        for (const disk of disks) await this.#disks.attachSeen(disk);
      }),
      disconnectTarget: asked(async (portal, iqn) => {
        this.#target(portal, iqn);
        const target = this.#connected.get(iqn);
        if (target === undefined) return;
        this.#connected.delete(iqn);
        for (const number of this.#numbersOf(target)) await this.#disks.detach(number);
      }),
      getTargetDisks: asked(async (portal, iqn) => {
        this.#target(portal, iqn);
        const target = this.#connected.get(iqn);
        return target === undefined ? [] : this.#numbersOf(target);
      }),
      setMutualChapSecret: asked(async (secret) => {
        const bytes = Buffer.byteLength(secret);
        if (bytes < 12 || bytes > 16) {
          throw new StatusError(Code.Unknown, 'a CHAP secret without IPsec has 12 to 16 bytes');
        }
        this.#mutualSecret = secret;
      }),
    };
  }

  #behind(portal: Portal): MemoryTarget[] {
    if (!this.#portals.has(keyOf(portal))) {
      throw new StatusError(Code.NotFound, `there is no target portal ${keyOf(portal)}`);
    }
    return this.#targets.filter((target) => keyOf(target.portal) === keyOf(portal));
  }

  #target(portal: Portal, iqn: string): MemoryTarget {
    const target = this.#behind(portal).find((other) => other.iqn === iqn);
    if (target === undefined) {
      throw new StatusError(Code.NotFound, `there is no target ${iqn} behind ${keyOf(portal)}`);
    }
    return target;
  }

  #numbersOf({ disks }: MemoryTarget): number[] {
    return disks.flatMap((disk) => this.#disks.numberOf(disk) ?? []);
  }
}

function keyOf({ address, port }: Portal): string {
  return `${address}:${port}`;
}

function refuseLogin(iqn: string): never {
  throw new StatusError(Code.Unknown, `target ${iqn} refused the login: authentication failure`);
}
