// What Ironic was told to do with the nodes of hosts, held against what users asked for and what Ironic said became of it: nothing
// is deployed, wiped, cleaned or inspected that nobody asked for, nor twice.
//
// Invariants:
//   O1. A wish is good for one order of a sort. Another one needs another wish, or Ironic's word that the former failed.
//   O2. A node that is made again, since Ironic has lost it, is no reason to do again what was done; what was under way may be.

/** What a user asks for. */
export type Wish = 'inspection' | 'preparation' | 'deployment' | 'wiping';

export type Entry =
  | { readonly what: 'wished'; readonly host: string; readonly wish: Wish }
  /** A node was created. */
  | { readonly what: 'made'; readonly host: string }
  /** The node's provision state, as Ironic told it to whoever gives orders. */
  | { readonly what: 'said'; readonly host: string; readonly state: string }
  /** A change of the provision state; `status` undefined: Ironic went away over it. */
  | { readonly what: 'ordered'; readonly host: string; readonly target: string; readonly status: number | undefined };

/** What each wish takes. Cleaning comes before a deployment, and again after a wiping whose cleaning failed. */
const TAKEN_BY: Readonly<Record<Wish, readonly string[]>> = {
  inspection: ['inspect'],
  preparation: ['clean'],
  deployment: ['provide', 'active'],
  wiping: ['deleted'],
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
  /** Orders that may be given. */
  readonly due: Set<string>;
  /** The last one, until it is over. */
  underWay: string | undefined;
}

/** @returns a line for each order that nobody asked for */
export function unasked(entries: readonly Entry[]): readonly string[] {
  const accounts = new Map<string, Account>();
  const found: string[] = [];
  for (const entry of entries) {
    const account = accounts.get(entry.host) ?? { due: new Set<string>(), underWay: undefined };
    accounts.set(entry.host, account);
    const { due, underWay } = account;
    const allow = (targets: readonly string[] = []): void => targets.forEach((target) => void due.add(target));
    switch (entry.what) {
      case 'wished':
        allow(TAKEN_BY[entry.wish]);
        break;
      case 'made':
        // A node that is new is wiped by being provided only: there is no deployment that Ironic could take off it.
        if (underWay === 'active' || underWay === 'deleted') allow(['provide', underWay]);
        else if (underWay !== undefined) allow([underWay]);
        account.underWay = undefined;
        break;
      case 'said':
        if (underWay !== undefined && OVER_IN[underWay]?.includes(entry.state)) account.underWay = undefined;
        allow(MENDED_BY[entry.state]);
        break;
      case 'ordered':
        if (entry.status !== 202 || !(entry.target in OVER_IN)) break;
        if (!due.delete(entry.target)) found.push(`${entry.host}: nobody asked for '${entry.target}'`);
        account.underWay = entry.target;
        break;
    }
  }
  return found;
}
