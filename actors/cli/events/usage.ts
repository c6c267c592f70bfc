// Usage of `troupe events`.
import type { CommandUsage } from '../command.ts';
import { BUS_READER_OPTIONS, COMMON, TEXT_OR_JSON, WATCH } from '../options.ts';

export const events = {
  name: 'events',
  forms: ['[<kind>/<name>]'],
  about:
    'list events of objects, of all namespaces without -n, one per line, from the kept history and, with --watch, new ones; exit status: 0 done, 1 nothing is known of the named object, 2 error',
  options: {
    namespace: {
      type: 'string',
      multiple: true,
      short: 'n',
      value: 'NAME',
      fallback: 'all',
      help: 'where the objects are; may be repeated',
    },
    since: { type: 'string', value: 'DURATION', default: '1h', help: 'how far back, a Go duration' },
    type: {
      type: 'string',
      multiple: true,
      value: 'transition|call|deleted|quarantined',
      fallback: 'all',
      help: 'only events of these types, comma-separated; may be repeated',
    },
    watch: { ...WATCH, help: 'continue with new events until Ctrl-C' },
    inspect: {
      type: 'string',
      value: 'PORT',
      help: "as --watch, and serves the same to Stately's inspector, on a WebSocket on loopback; http://localhost:PORT shows it in a browser, which loads that inspector from stately.ai; 0 is any port",
    },
    output: { ...TEXT_OR_JSON, help: 'json is one CloudEvent per line' },
    ...BUS_READER_OPTIONS,
    ...COMMON,
  },
  examples: [
    'events',
    'events subnet/app -n shop --since 10m',
    'events --type call --watch -o json',
    'events -n shop --inspect 8080',
  ],
  adapterFlags: ['process'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
