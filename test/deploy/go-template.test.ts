// Manifests as Go templates; what Helm makes of them is in helm.test.ts.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Template } from '../../deploy/render/go-template.ts';

const test = suite('manifests as templates');

const manifest = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'troupe', namespace: 'troupe-system' },
  spec: {
    replicas: 2,
    template: { spec: { containers: [{ name: 'side' }, { name: 'troupe', args: ['run'] }] } },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { size: '1Gi' } }],
  },
};
const containers = ['spec', 'template', 'spec', 'containers'];
const none = new Map<string, string>();

test('actions stand where they were put, as deep as what is around them', () => {
  const template = new Template(manifest);
  assert.ok(template.put(['spec', 'replicas'], { is: 'scalar', expression: '$.Values.replicas' }));
  const claim = ['spec', 'volumeClaimTemplates', { name: 'data' }, 'spec'];
  assert.ok(template.put([...claim, 'className'], { is: 'optional', expression: '$.Values.className' }));
  const resources = [...containers, { name: 'troupe' }, 'resources'];
  assert.ok(template.put(resources, { is: 'value', expression: '$.Values.resources' }));
  assert.ok(
    template.append(
      [...containers, { name: 'troupe' }, 'args'],
      ['{{- range $.Values.args }}', '- {{ . }}', '{{- end }}'],
    ),
  );
  assert.ok(template.put(['metadata', 'annotations'], { is: 'map', of: { keep: 'yes' } }));
  assert.is(
    template.text(none),
    `apiVersion: apps/v1
kind: Deployment
metadata:
  name: troupe
  namespace: troupe-system
  annotations:
    keep: yes
spec:
  replicas: {{ $.Values.replicas }}
  template:
    spec:
      containers:
        - name: side
        - name: troupe
          args:
            - run
            {{- range $.Values.args }}
            - {{ . }}
            {{- end }}
          resources:
            {{- toYaml ($.Values.resources) | nindent 12 }}
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        size: 1Gi
        {{- with $.Values.className }}
        className:
          {{- toYaml . | nindent 10 }}
        {{- end }}
`.replace('keep: yes', 'keep: "yes"'),
  );
});

test('a path that leads nowhere is said, and nothing of the manifest is overwritten by a map', () => {
  const template = new Template(manifest);
  const put = { is: 'scalar', expression: '1' } as const;
  assert.not(template.put([...containers, { name: 'nobody' }, 'image'], put));
  assert.not(template.put(['spec', 'strategy', 'type'], put));
  assert.not(template.append(['spec', 'replicas'], ['- 1']));
  assert.not(template.put(['metadata'], { is: 'map', of: {} }));
  assert.is(template.text(none), new Template(manifest).text(none));
});

test('words become expressions wherever they stand for themselves, quoted where they are all', () => {
  const words = new Map([['troupe-system', '$.Release.Namespace']]);
  const { metadata } = manifest;
  const data = {
    host: 'tls://nats.troupe-system.svc:4222',
    group: "'system:serviceaccounts:troupe-system' in groups",
    other: 'my-troupe-system and troupe-system-2',
    list: ['troupe-system'],
  };
  const text = new Template({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: data as never }).text(words);
  assert.match(text, '  namespace: {{ $.Release.Namespace | quote }}\n');
  assert.match(text, '  host: tls://nats.{{ $.Release.Namespace }}.svc:4222\n');
  assert.match(text, `  group: "'system:serviceaccounts:{{ $.Release.Namespace }}' in groups"\n`);
  assert.match(text, '  other: my-troupe-system and troupe-system-2\n');
  assert.match(text, '    - {{ $.Release.Namespace | quote }}\n');
});

test('braces of a manifest are text, not actions', () => {
  const data = { text: 'a {{ b }} c' };
  const text = new Template({ ...manifest, spec: data }).text(none);
  assert.match(text, 'text: a {{ "{{" }} b }} c\n');
});

test('what is put into a template stays out of the manifest', () => {
  const before = JSON.stringify(manifest);
  new Template(manifest).append([...containers, { name: 'troupe' }, 'args'], ['- more']);
  assert.is(JSON.stringify(manifest), before);
});

test.run();
