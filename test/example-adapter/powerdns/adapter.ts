// An adapter for PowerDNS, the worked example: `troupe dev --adapters ./test/example-adapter/powerdns/adapter.ts`.
import { type Adapter, standardOperations, TerminalError } from 'troupe/adapter';
import { powerDns } from './client.ts';
import { aliasContract, recordContract, zoneContract } from './contracts.ts';
import { alias, ofAlias, ofRecordSet, recordOperations, recordSet } from './records.ts';
import { zone, zoneOperations } from './zones.ts';

export function powerDnsAdapter({ fetch }: { readonly fetch: typeof globalThis.fetch }): Adapter {
  return {
    realm: 'powerdns',
    role: 'powerdns',
    contracts: [zoneContract, recordContract, aliasContract],
    flags: [{ name: 'powerdns-url', variable: 'POWERDNS_URL', value: 'URL', help: 'where the API of PowerDNS is' }],
    configure({ flag }) {
      const { name, value: url } = flag('powerdns-url');
      if (url !== undefined && !URL.canParse(url)) throw new TerminalError(`${name} must be a URL; got '${url}'`);
      return {
        kinds: [zone, recordSet, alias],
        async serve(ports) {
          if (url === undefined) throw new TerminalError(`${name} must say where the API of PowerDNS is`);
          const dns = powerDns({ ...ports, fetch, url });
          return {
            operations: {
              zones: standardOperations(zoneOperations(dns)),
              recordsets: standardOperations(recordOperations(dns, ofRecordSet)),
              aliases: standardOperations(recordOperations(dns, ofAlias)),
            },
            close: async () => undefined,
          };
        },
      };
    },
  };
}

export const adapter = powerDnsAdapter({ fetch: globalThis.fetch });
