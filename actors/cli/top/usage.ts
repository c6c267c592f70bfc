// Usage of `troupe top`.
import { asQuestion, type CommandUsage } from '../command.ts';
import { BUS_READER_OPTIONS, COMMON, WATCH } from '../options.ts';

export const top = {
  name: 'top',
  about:
    'print recent activity from the bus: changed objects, calls by service, delays of events, lease holders; exit status: 0 done, 2 error',
  options: {
    since: {
      type: 'string',
      value: 'DURATION',
      default: '5m',
      help: 'how far back, a Go duration such as 90s or 2h',
    },
    watch: WATCH,
    output: {
      type: 'string',
      short: 'o',
      value: 'text|json|yaml',
      default: 'text',
      help: 'with --watch, one document after the other',
    },
    ...BUS_READER_OPTIONS,
    ...COMMON,
  },
  examples: ['top', 'top --since 1h -o json', 'top --watch'],
  isQuery: true,
  load: asQuestion(async () => (await import('./top.ts')).answer),
} as const satisfies CommandUsage;
