// Usage of `troupe trace`.
import type { CommandUsage } from '../command.ts';
import { BUS_READER_OPTIONS, COMMON, CONTEXT, KUBECONFIG, TEXT_OR_JSON } from '../options.ts';

export const trace = {
  name: 'trace',
  forms: ['<kind>/<name>'],
  about:
    'tell the last change of an object: who wrote it, what the object waited for, its calls to the cloud, until it settled; exit status: 0 settled, 1 not settled or failed, 2 error',
  options: {
    namespace: {
      type: 'string',
      multiple: true,
      short: 'n',
      value: 'NAME',
      fallback: "the context's",
      help: 'where the object is',
    },
    generation: { type: 'string', value: 'N', fallback: 'the last one', help: 'which change' },
    otlp: {
      type: 'boolean',
      help: 'sends it as OpenTelemetry spans, by OTLP over HTTP, to OTEL_EXPORTER_OTLP_ENDPOINT (http://localhost:4318), with OTEL_EXPORTER_OTLP_HEADERS; twice makes the same spans',
    },
    output: TEXT_OR_JSON,
    kubeconfig: { ...KUBECONFIG, fallback: '~/.kube/config' },
    context: CONTEXT,
    ...BUS_READER_OPTIONS,
    ...COMMON,
  },
  examples: ['trace subnet/app -n shop', 'trace subnet/app --generation 3 -o json', 'trace server/web --otlp'],
  adapterFlags: ['process'],
  isQuery: true,
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
