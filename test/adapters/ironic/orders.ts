// What Ironic was told to do with the nodes of hosts, held against what users asked for and what Ironic said became of it: nothing
// is deployed, wiped, cleaned or inspected that nobody asked for, nor twice, and no node is taken away from a host that is to have one.
//
// Invariants:
//   TEST-ORDERS-1. A wish is good for one order of a sort. Another one needs another wish, or Ironic's word that the former failed. Wishes
//       that say the same are one; two images that were asked for, one after the other, may both be deployed, as the first was under way.
//   TEST-ORDERS-2. A node that is made again, since Ironic has lost it, is no reason to do again what was done; what was under way may be, and
//       what is still to be done begins with providing it.
//   TEST-ORDERS-3. A wish that has been seen fulfilled is good for nothing more.
//   TEST-ORDERS-4. A machine is written with what its host was asked to have in this life, and wiped only where disks are to be cleaned.

/** What a user asks for. */
export type Wish = 'inspection' | 'preparation' | 'deployment' | 'wiping' | 'removal';

export type Entry =
  /** A host of this name is new: nothing is asked of it yet. */
  | { readonly what: 'born'; readonly host: string; readonly disks: 'cleaned' | 'kept' }
  /** `image`: the address of what is to be deployed. */
  | { readonly what: 'wished'; readonly host: string; readonly wish: Wish; readonly image?: string }
  /** All that was asked for is seen to be so. */
  | { readonly what: 'settled'; readonly host: string }
  /** A node was created. */
  | { readonly what: 'made'; readonly host: string }
  /** A node was taken out of Ironic. */
  | { readonly what: 'removed'; readonly host: string }
  /** The node's provision state, as Ironic told it to whoever gives orders. */
  | { readonly what: 'said'; readonly host: string; readonly state: string }
  /** A change of the provision state; `status` undefined: Ironic went away over it. */
  | { readonly what: 'ordered'; readonly host: string; readonly target: string; readonly status: number | undefined }
  /** A node is there, and its host is gone. */
  | { readonly what: 'left'; readonly host: string }
  /** What was done to the machine, as it knows itself. */
  | { readonly what: 'written'; readonly host: string; readonly image: string }
  | { readonly what: 'wiped'; readonly host: string };

/** What each wish takes. Cleaning comes before a deployment, and again after a wiping whose cleaning failed. */
const TAKEN_BY: Readonly<Record<Wish, readonly string[]>> = {
  inspection: ['inspect'],
  preparation: ['clean'],
  deployment: ['provide', 'active'],
  wiping: ['deleted'],
  removal: ['remove'],
};

/** What each failure is reason for: the same once more, and a failed deployment is wiped first. */
const MENDED_BY: Readonly<Record<string, readonly string[]>> = {
  'inspect failed': ['inspect'],
  'clean failed': ['clean', 'provide'],
  'deploy failed': ['deleted', 'active'],
  error: ['deleted'],
};

/** What touches a machine's disks or boots it, and the states in which it is over. */
const OVER_IN: Readonly<Record<string, readonly string[]>> = {
  inspect: ['manageable', 'inspect failed'],
  clean: ['manageable', 'clean failed'],
  provide: ['available', 'clean failed'],
  active: ['active', 'deploy failed'],
  deleted: ['available', 'error', 'clean failed'],
  rebuild: [],
  service: ['active', 'service failed'],
};

interface Account {
  /** Orders that may be given; a deployment with its image. */
  readonly due: Set<string>;
  /** The last one, until it is over. */
  underWay: string | undefined;
  /** Addresses of images that may be written. */
  readonly images: Set<string>;
  disks: 'cleaned' | 'kept';
}

/** @returns a line for each order that nobody asked for */
export function unasked(entries: readonly Entry[]): readonly string[] {
  const accounts = new Map<string, Account>();
  const found: string[] = [];
  for (const entry of entries) {
    const account = accounts.get(entry.host) ?? newAccount('cleaned');
    accounts.set(entry.host, account);
    const { due, underWay } = account;
    const allow = (targets: readonly string[] = [], image = ''): void =>
      targets.forEach((target) => void due.add(target === 'active' ? `${target} ${image}` : target));
    const isDue = (target: string): string | undefined => [...due].find((each) => each.split(' ')[0] === target);
    switch (entry.what) {
      case 'born':
        accounts.set(entry.host, newAccount(entry.disks));
        break;
      case 'wished':
        allow(TAKEN_BY[entry.wish], entry.image);
        if (entry.image !== undefined) account.images.add(entry.image);
        break;
      case 'settled':
        due.clear();
        account.images.clear();
        break;
      case 'made':
        // A node that is new is wiped by being provided only: there is no deployment that Ironic could take off it.
        if (underWay === 'active' || underWay === 'deleted') allow(['provide', underWay]);
        else if (underWay !== undefined) allow([underWay]);
        if (isDue('active') !== undefined || due.has('deleted')) allow(['provide']);
        account.underWay = undefined;
        break;
      case 'removed':
        if (!due.delete('remove')) found.push(`${entry.host}: nobody asked for its node to be removed`);
        break;
      case 'left':
        found.push(`${entry.host}: its node was left in Ironic when it went`);
        break;
      case 'written':
        if (!account.images.has(entry.image))
          found.push(`${entry.host}: nobody asked for '${entry.image}' on its machine`);
        break;
      case 'wiped':
        if (account.disks === 'kept') found.push(`${entry.host}: its machine is wiped, and its disks are to be kept`);
        break;
      case 'said':
        if (underWay !== undefined && OVER_IN[underWay]?.includes(entry.state)) account.underWay = undefined;
        allow(MENDED_BY[entry.state]);
        break;
      case 'ordered':
        if (entry.status !== 202 || !(entry.target in OVER_IN)) break;
        if (!due.delete(isDue(entry.target) ?? '')) found.push(`${entry.host}: nobody asked for '${entry.target}'`);
        account.underWay = entry.target;
        break;
    }
  }
  return found;
}

function newAccount(disks: Account['disks']): Account {
  return { due: new Set(), underWay: undefined, images: new Set(), disks };
}
