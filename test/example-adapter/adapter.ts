// A print shop as an adapter: what the runtime is given of it.
import { type Adapter, type ReferencedKind, TerminalError, wholeNumber } from 'troupe/adapter';
import { book, bookOperations } from './book.ts';
import { bookContract, paperContract } from './contracts.ts';
import { paper, paperOperations } from './paper.ts';
import { printShop } from './print-shop.ts';

/** What a book makes for itself beside paper. */
const configMap: ReferencedKind = {
  realm: 'press',
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  // What is not carried is not seen: a colophon is compared by its title.
  retains: { data: ['title'] },
  publicState: ({ data }) => ({ ready: true, attributes: { title: data?.['title'] ?? '' } }),
};

const LANDS = 'press-lands-within-ms';
const LANDS_HELP = 'after which the shop begins no print that it was asked for';
const LANDS_WITHIN_MS = 3_000;

/** @param deps.fetch  how the shop is asked */
export function pressAdapter({ fetch }: { readonly fetch: typeof globalThis.fetch }): Adapter {
  return {
    realm: 'press',
    role: 'press',
    contracts: [paperContract, bookContract],
    referencedKinds: [configMap],
    createsKinds: [
      { owner: 'books', owned: 'configmaps' },
      { owner: 'books', owned: 'papers' },
    ],
    flags: [
      { name: 'press-url', variable: 'PRESS_URL', value: 'URL', help: 'of the print shop' },
      {
        name: LANDS,
        variable: 'PRESS_LANDS_WITHIN_MS',
        value: 'N',
        fallback: String(LANDS_WITHIN_MS),
        help: LANDS_HELP,
      },
    ],
    configure({ flag }) {
      const { name, value } = flag('press-url');
      if (value !== undefined && !URL.canParse(value)) throw new TerminalError(`${name} must be a URL; got '${value}'`);
      const inDoubtForMs = wholeNumber(flag(LANDS), { fallback: LANDS_WITHIN_MS, least: 0, unit: 'milliseconds' });
      return {
        kinds: [paper, book({ inDoubtForMs })],
        async serve({ clock, onCall }) {
          if (value === undefined) throw new TerminalError(`${name} must say where the print shop is`);
          const shop = printShop({ url: value, fetch, clock, onCall });
          return {
            operations: { papers: paperOperations(shop), books: bookOperations(shop) },
            close: async () => undefined,
          };
        },
      };
    },
    async devBackend({ clock, flag }) {
      const given = flag('press-url').value;
      if (given) return { description: `print shop: ${given}`, usage: [], close: async () => undefined };
      const { startPrintShop } = await import('./simulator.ts');
      const shop = await startPrintShop({ clock, sheetMs: 500 });
      return {
        description: `print shop: ${shop.url} (simulated)`,
        usage: [`export PRESS_URL=${shop.url}`],
        options: { 'press-url': shop.url },
        close: () => shop.close(),
      };
    },
  };
}

export const adapter = pressAdapter({ fetch: globalThis.fetch });
