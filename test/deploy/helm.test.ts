// long
// The chart as Helm understands it: under its default values it is install.yaml, and values change what they say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import type { Json, JsonObject } from '../../bus/mod.ts';
import { findHelm } from '../../deploy/helm.ts';
import { openApiServer } from '../world/api-server.ts';
import { CHART, plain, templated } from './helm.ts';
import { everything, identityOf, installed as installedManifests, type Manifest, one } from './manifests.ts';

const helm = await findHelm(process.env);
if (helm === undefined) {
  console.log('skipped: there is no helm on the PATH');
} else {
  const test = suite('the Helm chart');
  const installed = installedManifests();

  const sorted = (of: readonly Manifest[]): readonly Manifest[] =>
    of
      .filter(({ kind }) => kind !== 'Namespace')
      .map(plain)
      .sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
  const same = (one: readonly Manifest[], other: readonly Manifest[]): void => {
    assert.equal(sorted(one).map(identityOf), sorted(other).map(identityOf));
    for (const [index, manifest] of sorted(one).entries()) {
      assert.equal(manifest, sorted(other)[index], identityOf(manifest));
    }
  };
  const container = (manifest: JsonObject): JsonObject => {
    const { template } = manifest['spec'] as { template: { spec: { containers: JsonObject[] } } };
    return template.spec.containers[0] ?? {};
  };
  const refusal = async (values: object): Promise<string> => {
    try {
      await templated(helm, values);
      return 'taken';
    } catch (error) {
      return (error as Error).message;
    }
  };

  /** Name of the Job that makes the keys of the bus: it ends with a hash of its pods. */
  const JOB = /^(troupe-bus-credentials)-[0-9a-f]{8}$/;
  const FLEET = {
    volume: { configMap: { name: 'company-models' } },
    kinds: { 'fleet.models.troupe.dev': ['clusters', 'nodepools', 'regions'] },
  };

  test('Helm finds nothing to complain about', async () => {
    assert.match(await helm(['lint', '--strict', CHART]), '0 chart(s) failed');
  });

  test('under its default values it is install.yaml, but for the Namespace, and definitions outlive it', async () => {
    const manifests = await templated(helm);
    same(manifests, installed);
    assert.not(
      manifests.some(({ kind }) => kind === 'Namespace'),
      'Helm wants it to be there before',
    );
    for (const { kind, metadata } of manifests) {
      const kept = kind === 'CustomResourceDefinition' ? { 'helm.sh/resource-policy': 'keep' } : undefined;
      assert.equal(metadata['annotations'], kept, metadata.name);
    }
  });

  test('definitions of a cluster that serves Metal3 v1beta1 are not undone: the release fails, or leaves them out', async () => {
    const version = { schema: { openAPIV3Schema: { type: 'object' } }, served: true };
    const [plural, group] = ['hostclaims', 'metal3.io'];
    const server = await openApiServer({ clock: systemClock() });
    const client = server.client();
    // The embedded API server lacks kinds of pods: what was rendered is refused only after the templates have run.
    const refusalOnServer = async (metal3: boolean): Promise<string> => {
      const args = ['template', 'troupe', CHART, '--dry-run=server', '--namespace', 'default'];
      try {
        return await helm(args, { values: { crds: { metal3 } }, kubeconfig: server.kubeconfig });
      } catch (error) {
        return (error as Error).message;
      }
    };
    try {
      const rendered = 'unable to build kubernetes objects';
      assert.match(await refusalOnServer(true), rendered);
      const body = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural, kind: 'HostClaim' },
          versions: [
            { ...version, name: 'v1beta1', storage: false },
            { ...version, name: 'v1alpha1', storage: true },
          ],
        },
      };
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await client.call({ method: 'POST', path, body });
      const refused = await refusalOnServer(true);
      assert.match(refused, `serves ${plural}.${group} in v1beta1`);
      assert.match(refused, 'set crds.metal3=false');
      assert.match(await refusalOnServer(false), rendered);
      const without = (await templated(helm, { crds: { metal3: false } })).map(({ metadata: { name } }) => name);
      assert.equal(
        without.filter((name) => name.endsWith('.metal3.io')),
        [],
      );
      assert.ok(without.includes('networks.openstack.k-orc.cloud'));
    } finally {
      await client.close();
      await server.close();
    }
  });

  for (const [what, values, more, less] of [
    ['egress', { egress: { enabled: true } }, ['NetworkPolicy/troupe-egress'], []],
    [
      'the visualizer',
      { visualizer: { enabled: true } },
      ['Deployment/troupe-visualizer', 'Service/troupe-visualizer'],
      [],
    ],
    [
      'webhooks',
      { webhooks: { enabled: true } },
      ['Deployment/troupe-webhooks', 'ValidatingWebhookConfiguration/troupe-metal3'],
      [],
    ],
    [
      'Windows nodes',
      { windows: { enabled: true } },
      ['DaemonSet/troupe-csi-proxy', 'Service/troupe-nats-windows'],
      [],
    ],
    ['a monitor', { metrics: { serviceMonitor: { enabled: true } } }, ['ServiceMonitor/troupe'], []],
    ['alerts', { metrics: { alerts: { enabled: true } } }, ['PrometheusRule/troupe'], []],
    ['a dashboard', { metrics: { dashboard: { enabled: true } } }, ['ConfigMap/troupe-dashboard'], []],
    [
      'roles apart',
      { roles: { split: true } },
      ['Deployment/troupe-watch', 'ClusterRole/troupe-openstack'],
      ['Deployment/troupe', 'ClusterRole/troupe'],
    ],
    [
      'a NATS server of yours',
      { nats: { enabled: false } },
      [],
      ['StatefulSet/troupe-nats', 'Job/troupe-bus-credentials-*'],
    ],
  ] as const) {
    test(`${what}: what is said comes or goes, and the rest stays as it is`, async () => {
      const name = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name.replace(JOB, '$1-*')}`;
      const manifests = await templated(helm, values);
      const names = new Set(manifests.map(name));
      for (const each of more) assert.ok(names.has(each), each);
      for (const each of less) assert.not(names.has(each), each);
      const known = new Map(installed.map((each) => [identityOf(each), plain(each)]));
      for (const each of manifests.map(plain)) {
        const before = known.get(identityOf(each));
        if (before !== undefined) assert.equal(each, before, identityOf(each));
      }
    });
  }

  test('with all that it has it is what tests read', async () => {
    const all = { egress: { enabled: true }, windows: { enabled: true }, webhooks: { enabled: true } };
    const metrics = { serviceMonitor: { enabled: true }, alerts: { enabled: true }, dashboard: { enabled: true } };
    const ocm = { enabled: true, tlsSecret: 'company-tls', writesAs: 'caller', users: ['*'], groups: ['*'] };
    const apart = { roles: { split: true }, crds: { enabled: false } };
    const values = { ...all, ...apart, metrics, visualizer: { enabled: true }, ocm, models: FLEET };
    same(await templated(helm, values), everything());
  });

  test('everything follows the namespace of the release, also one that looks like a number', async () => {
    const text = JSON.stringify(await templated(helm, {}, '1234'));
    assert.not.match(text, /troupe-system/);
    assert.match(text, '"namespace":"1234"');
    assert.match(text, 'system:serviceaccount:1234:troupe');
  });

  test('values go where they belong', async () => {
    const manifests = await templated(helm, {
      image: { repository: 'registry.example.com/troupe', tag: '9.9.9', pullPolicy: 'Always' },
      images: { nats: 'registry.example.com/nats:9' },
      imagePullSecrets: [{ name: 'registry' }],
      replicas: 3,
      resources: { requests: { memory: '1Gi' } },
      args: ['--cloud-allow=a.example.com', '--log-level=debug'],
      env: [{ name: 'TROUPE_LEASE_MS', value: '20000' }],
      nodeSelector: { disk: 'fast' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
      priorityClassName: 'high',
      nats: { storage: { size: '5Gi', className: 'fast' } },
    });
    const actors = one(manifests, 'Deployment', 'troupe');
    const spec = actors['spec'] as { replicas: number; template: { spec: JsonObject } };
    const { args, env, image, imagePullPolicy, resources } = container(actors);
    assert.is(spec.replicas, 3);
    assert.is(image, 'registry.example.com/troupe:9.9.9');
    assert.is(imagePullPolicy, 'Always');
    assert.equal((args as string[]).slice(-2), ['--cloud-allow=a.example.com', '--log-level=debug']);
    assert.equal((env as JsonObject[]).at(-1), { name: 'TROUPE_LEASE_MS', value: '20000' });
    assert.equal((resources as JsonObject)['requests'], { cpu: '50m', memory: '1Gi' });
    const nats = one(manifests, 'StatefulSet', 'troupe-nats');
    const { volumeClaimTemplates, template } = nats['spec'] as {
      volumeClaimTemplates: { spec: { storageClassName: string; resources: { requests: JsonObject } } }[];
      template: { spec: JsonObject };
    };
    assert.is(container(nats)['image'], 'registry.example.com/nats:9');
    assert.is(volumeClaimTemplates[0]?.spec.storageClassName, 'fast');
    assert.equal(volumeClaimTemplates[0]?.spec.resources.requests, { storage: '5Gi' });
    for (const pod of [spec.template.spec, template.spec]) {
      assert.equal(pod['imagePullSecrets'], [{ name: 'registry' }]);
      assert.equal(pod['nodeSelector'], { disk: 'fast' });
      assert.equal(pod['tolerations'], [{ operator: 'Exists' }]);
      assert.is(pod['priorityClassName'], 'high');
    }
    assert.equal(spec.template.spec['affinity'], { podAntiAffinity: {} });
  });

  test('pods of Windows nodes stay on these, whatever is said of others, and find a NATS server of yours', async () => {
    const manifests = await templated(helm, {
      images: { 'troupe-windows': 'registry.example.com/troupe-windows:9' },
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      roles: { resources: { 'csi-proxy': { limits: { memory: '1Gi' } } } },
      windows: { enabled: true, natsUrl: 'tls://nats.example.com:4222', natsServerName: '' },
    });
    const pods = one(manifests, 'DaemonSet', 'troupe-csi-proxy');
    const { template } = pods['spec'] as { template: { spec: JsonObject } };
    assert.equal(template.spec['nodeSelector'], { 'kubernetes.io/os': 'windows' });
    const { env, image, resources } = container(pods);
    assert.is(image, 'registry.example.com/troupe-windows:9');
    assert.equal((resources as JsonObject)['limits'], { memory: '1Gi' });
    const variables = Object.fromEntries((env as JsonObject[]).map(({ name, value }) => [name, value]));
    assert.equal([variables['NATS_URL'], variables['NATS_SERVER_NAME']], ['tls://nats.example.com:4222', '']);
  });

  test('nothing leads to the NATS server of the chart where there is none', async () => {
    const named = async (enabled: boolean): Promise<readonly string[]> => {
      const manifests = await templated(helm, { nats: { enabled }, windows: { enabled: true } });
      return manifests.map(({ metadata: { name } }) => name).filter((name) => name.startsWith('troupe-nats'));
    };
    assert.equal(new Set(await named(true)), new Set(['troupe-nats', 'troupe-nats-windows']));
    assert.equal(await named(false), []);
  });

  test('the Job of the keys has another name where its pods differ, since they cannot be changed', async () => {
    const named = async (values: object): Promise<string> =>
      one(await templated(helm, values), 'Job', JOB).metadata.name;
    const [wrong, right] = [await named({}), await named({ image: { repository: 'registry.example.com/troupe' } })];
    assert.is.not(wrong, right);
    assert.is(await named({ replicas: 5 }), wrong);
  });

  test('an alert has the URL of its section if the base is given, and none otherwise', async () => {
    const runbooks = async (alerts: object): Promise<readonly unknown[]> => {
      const manifests = await templated(helm, { metrics: { alerts: { enabled: true, ...alerts } } });
      const { groups } = one(manifests, 'PrometheusRule', 'troupe')['spec'] as unknown as {
        groups: { rules: { alert: string; annotations: { runbook_url?: string } }[] }[];
      };
      return groups.flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook_url));
    };
    assert.equal(new Set(await runbooks({})), new Set([undefined]));
    const found = await runbooks({ runbookBase: 'https://docs.example.com/operating.md' });
    assert.is(found[0], 'https://docs.example.com/operating.md#troupeobjectsfailing');
    assert.ok(found.every((url) => URL.canParse(String(url))));
    assert.match(await refusal({ metrics: { alerts: { runbookBase: 'operating.md' } } }), 'runbookBase');
  });

  test('a digest goes before a tag', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const manifests = await templated(helm, { image: { tag: '9.9.9', digest } });
    assert.is(container(one(manifests, 'Deployment', 'troupe'))['image'], `troupe@${digest}`);
  });

  test('a role may have other pods than the others, none too', async () => {
    const manifests = await templated(helm, {
      replicas: 4,
      roles: { split: true, replicas: { openstack: 0 }, resources: { watch: { limits: { memory: '2Gi' } } } },
    });
    const replicas = (role: string): unknown =>
      (one(manifests, 'Deployment', `troupe-${role}`)['spec'] as JsonObject)['replicas'];
    assert.equal(['watch', 'actors', 'openstack'].map(replicas), [4, 4, 0]);
    assert.equal(container(one(manifests, 'Deployment', 'troupe-watch'))['resources'], { limits: { memory: '2Gi' } });
  });

  test('more volumes are where foreign systems are called, and nowhere else', async () => {
    const volumes = [{ name: 'ironic', secret: { secretName: 'ironic-credentials' } }];
    const volumeMounts = [{ name: 'ironic', mountPath: '/opt/metal3/auth/ironic', readOnly: true }];
    const parts = ({ spec }: JsonObject): readonly Json[] => {
      const pod = ((spec as JsonObject)['template'] as JsonObject)['spec'] as JsonObject;
      const [{ volumeMounts: mounts = [] } = {}] = pod['containers'] as JsonObject[];
      return [((pod['volumes'] ?? []) as Json[]).at(-1) ?? null, (mounts as Json[]).at(-1) ?? null];
    };
    const alone = await templated(helm, { volumes, volumeMounts });
    assert.equal(parts(one(alone, 'Deployment', 'troupe')), [volumes[0], volumeMounts[0]]);
    const all = { roles: { split: true }, visualizer: { enabled: true }, webhooks: { enabled: true } };
    const apart = await templated(helm, { ...all, volumes, volumeMounts });
    for (const role of ['ironic', 'openstack']) {
      assert.equal(parts(one(apart, 'Deployment', `troupe-${role}`)), [volumes[0], volumeMounts[0]], role);
    }
    for (const role of ['watch', 'actors', 'visualizer', 'webhooks']) {
      assert.not.match(JSON.stringify(one(apart, 'Deployment', `troupe-${role}`)), 'ironic-credentials', role);
    }
  });

  test('with namespaces, rules hold in them, and beyond them only what is in none', async () => {
    const manifests = await templated(helm, { namespaces: ['shop', 'lab'] });
    const bindings = manifests.filter(
      ({ kind, metadata }) => kind.endsWith('RoleBinding') && metadata.name !== 'troupe-bus',
    );
    assert.equal(
      bindings.map(({ kind, metadata, roleRef }) => [kind, metadata.namespace, (roleRef as JsonObject)['name']]),
      [
        ['ClusterRoleBinding', undefined, 'troupe-beyond'],
        ['RoleBinding', 'shop', 'troupe'],
        ['RoleBinding', 'lab', 'troupe'],
      ],
    );
    const { rules } = one(manifests, 'ClusterRole', 'troupe-beyond') as unknown as { rules: { resources: string[] }[] };
    const beyond = new Set(rules.flatMap(({ resources }) => resources));
    assert.equal([...beyond].sort(), ['leases', 'subjectaccessreviews', 'tokenreviews']);
    const { args } = container(one(manifests, 'Deployment', 'troupe'));
    assert.equal((args as string[]).slice(-2), ['--namespace=shop', '--namespace=lab']);
  });

  interface Pods {
    readonly template: {
      readonly spec: { readonly volumes: readonly JsonObject[]; readonly containers: JsonObject[] };
    };
  }

  test('36.7: who serves models is told whom to answer, how, and with whose rights', async () => {
    const served = async (ocm: object): Promise<{ args: string[]; volumes: readonly JsonObject[]; text: string }> => {
      const manifests = await templated(helm, { models: FLEET, ocm: { enabled: true, ...ocm } });
      const deployment = one(manifests, 'Deployment', 'troupe-ocm');
      for (const kind of ['NetworkPolicy', 'PodDisruptionBudget', 'ServiceAccount']) one(manifests, kind, 'troupe-ocm');
      const { template } = deployment['spec'] as unknown as Pods;
      const { rules } = one(manifests, 'ClusterRole', 'troupe-ocm');
      const args = (container(deployment)['args'] as string[]).filter((arg) => arg.startsWith('--ocm'));
      const { ports } = one(manifests, 'Service', 'troupe-ocm')['spec'] as unknown as { ports: { port: number }[] };
      const text = `${JSON.stringify(rules)} ${ports.map(({ port }) => port).join()}`;
      return { args, volumes: template.spec.volumes, text };
    };
    const plainly = await served({});
    assert.equal(plainly.args, [
      '--ocm-bind-address=:8000',
      '--ocm-auth=token',
      '--ocm-namespace=default',
      '--ocm-writes-as=self',
      '--ocm-token-file=/etc/troupe/token/token',
    ]);
    assert.equal(plainly.volumes, [
      { name: 'models', ...FLEET.volume },
      { name: 'token', secret: { secretName: 'troupe-ocm-token', defaultMode: 0o440 } },
    ]);
    assert.not.match(plainly.text, 'impersonate');
    assert.match(plainly.text, '"create","delete","get","list","patch","watch"');
    assert.match(plainly.text, / 80$/);
    const more = {
      auth: 'jwks',
      jwks: 'https://sso.example.com/keys',
      issuer: 'https://sso.example.com',
      audience: 'fleets',
      tlsSecret: 'api-tls',
      accessTokensSecret: 'pull',
    };
    const encrypted = await served({
      ...more,
      namespace: 'fleets',
      writesAs: 'caller',
      users: ['eve'],
      groups: ['dev'],
    });
    assert.equal(encrypted.args.slice(1), [
      '--ocm-auth=jwks',
      '--ocm-namespace=fleets',
      '--ocm-writes-as=caller',
      '--ocm-jwks=https://sso.example.com/keys',
      '--ocm-issuer=https://sso.example.com',
      '--ocm-audience=fleets',
      '--ocm-access-tokens=/etc/troupe/access-tokens/tokens',
      '--ocm-tls-cert=/etc/troupe/tls/tls.crt',
      '--ocm-tls-key=/etc/troupe/tls/tls.key',
    ]);
    assert.equal(
      encrypted.volumes.map(({ name }) => name),
      ['models', 'access-tokens', 'tls'],
    );
    assert.not.match(encrypted.text, '"delete"');
    assert.match(encrypted.text, / 443$/);
    const ocm = { enabled: true };
    const unnamed = { models: FLEET, ocm: { ...ocm, writesAs: 'caller' } };
    assert.match(await refusal(unnamed), 'ocm.writesAs caller needs ocm.users');
    assert.match(await refusal({ ocm }), 'say in models.volume where they are');
    assert.match(await refusal({ models: FLEET, ocm: { ...ocm, auth: 'jwks' } }), 'ocm.auth jwks needs ocm.jwks');
    assert.match(await refusal({ models: FLEET, ocm: { ...ocm, auth: 'none' } }), /ocm.auth|one of/);
  });

  test('pods that serve models impersonate the users and groups that are named, and no others', async () => {
    const impersonated = async (ocm: object): Promise<readonly unknown[]> => {
      const manifests = await templated(helm, { models: FLEET, ocm: { enabled: true, ...ocm } });
      const { rules } = one(manifests, 'ClusterRole', 'troupe-ocm-beyond') as unknown as { rules: JsonObject[] };
      const found = rules.filter(({ verbs }) => (verbs as string[]).includes('impersonate'));
      return found.map(({ resources, resourceNames = null }) => [resources, resourceNames]);
    };
    assert.equal(await impersonated({}), []);
    assert.equal(await impersonated({ writesAs: 'caller', users: ['eve', 'bob'] }), [
      [['users'], ['system:anonymous', 'eve', 'bob']],
      [['groups'], ['system:authenticated', 'system:unauthenticated']],
    ]);
    assert.equal(await impersonated({ writesAs: 'caller', users: ['eve'], groups: ['dev'] }), [
      [['users'], ['system:anonymous', 'eve']],
      [['groups'], ['system:authenticated', 'system:unauthenticated', 'dev']],
    ]);
  });

  test('36.7: all pods that know kinds know those of models, and so does who makes the keys of the bus', async () => {
    const manifests = await templated(helm, {
      models: FLEET,
      visualizer: { enabled: true },
      webhooks: { enabled: true },
    });
    for (const [kind, name] of [
      ['Deployment', 'troupe'],
      ['Deployment', 'troupe-visualizer'],
      ['Job', JOB],
    ] as const) {
      const { template } = one(manifests, kind, name)['spec'] as unknown as Pods;
      const [first = {}] = template.spec.containers;
      const text = JSON.stringify([first['env'], first['volumeMounts'], template.spec.volumes]);
      assert.match(text, '{"name":"TROUPE_MODELS","value":"/etc/troupe/models"}', kind);
      assert.match(text, '{"name":"models","mountPath":"/etc/troupe/models","readOnly":true}', kind);
      assert.match(text, '{"configMap":{"name":"company-models"},"name":"models"}', kind);
    }
    assert.not.match(JSON.stringify(one(manifests, 'Deployment', 'troupe-webhooks')), 'models');
    assert.match(JSON.stringify(one(manifests, 'Role', 'troupe-bus')), '"troupe-bus-ocm"');
  });

  test('definitions and the budget can be left out', async () => {
    const manifests = await templated(helm, { crds: { enabled: false }, podDisruptionBudget: { enabled: false } });
    const left = manifests.filter(({ kind }) => ['CustomResourceDefinition', 'PodDisruptionBudget'].includes(kind));
    assert.equal(left, []);
  });

  test('misspelt values, and values of another type, are refused', async () => {
    assert.match(await refusal({ replica: 3 }), "'replica' not allowed");
    assert.match(await refusal({ nats: { enable: false } }), "'enable' not allowed");
    assert.match(await refusal({ replicas: 'three' }), /replicas.*want integer/);
  });

  test.run();
}
