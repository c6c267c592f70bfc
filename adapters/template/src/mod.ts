// What `troupe --adapters` loads.
import { type Adapter, standardOperations, TerminalError } from 'troupe/adapter';
import { lightingClient } from './client.ts';
import { lampContract } from './contract.ts';
import { lamp, lampOperations } from './lamps.ts';

/** @param deps.fetch  by which the service is asked: tests have their own */
export function lightingAdapter({ fetch }: { readonly fetch: typeof globalThis.fetch }): Adapter {
  return {
    realm: 'lighting',
    role: 'lighting',
    contracts: [lampContract],
    flags: [{ name: 'lighting-url', variable: 'LIGHTING_URL', value: 'URL', help: 'where the lighting service is' }],
    configure({ flag }) {
      const { name, value: url } = flag('lighting-url');
      if (url !== undefined && !URL.canParse(url)) throw new TerminalError(`${name} must be a URL; got '${url}'`);
      return {
        kinds: [lamp],
        async serve(ports) {
          if (url === undefined) throw new TerminalError(`${name} must say where the lighting service is`);
          const ask = lightingClient({ ...ports, fetch, url });
          return { operations: { lamps: standardOperations(lampOperations(ask)) }, close: async () => undefined };
        },
      };
    },
    // `troupe dev` without LIGHTING_URL has a simulated service.
    async devBackend({ flag }) {
      const given = flag('lighting-url').value;
      if (given) return { description: `lighting: ${given}`, usage: [], close: async () => undefined };
      const { startLighting } = await import('./simulator.ts');
      const service = await startLighting();
      return {
        description: `lighting: ${service.url} (simulated; its token is 'secret')`,
        usage: ['kubectl create secret generic lighting --from-literal=token=secret'],
        options: { 'lighting-url': service.url },
        close: () => service.close(),
      };
    },
  };
}

export const adapter = lightingAdapter({ fetch: globalThis.fetch });
