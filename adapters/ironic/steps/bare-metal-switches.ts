// Operations of BareMetalSwitches: all switches of a namespace are rendered into the two Secrets that Ironic's
// networking service reads there. No request is sent to Ironic.
//
// Invariants:
//   IRONIC-BARE-METAL-SWITCHES-1. A Secret is written only as it was read before the switches were listed: no rendering undoes one of a later list.
//   IRONIC-BARE-METAL-SWITCHES-2. What is in a Secret leaves the operation neither in its answer nor in an error.
//   IRONIC-BARE-METAL-SWITCHES-3. A switch that is being deleted is rendered no more.
//   IRONIC-BARE-METAL-SWITCHES-4. Of the two Secrets only the text of the switches and files named like their keys are written, or removed; Secrets are not made.
import type { OperationRequest, Resource } from '../../../machines/kind.ts';
import type { SecretContent } from '../../api/adapter.ts';
import { together } from '../../http/batch.ts';
import type { Condition } from '../host/condition.ts';
import { type BareMetalSwitch, isKeyFile, SWITCH_CONFIGS_KEY, switchConfigs } from '../host/switch-configs.ts';
import { type IronicPorts, metal3Resource } from '../serving.ts';

export const SWITCHES: Resource = metal3Resource('BareMetalSwitch', 'baremetalswitches');

/** A type, as an interface would be no JSON. */
export type RenderedSwitch = {
  /** New `status.conditions`; empty where it was not rendered. */
  readonly conditions: readonly Condition[];
  /** Secrets that are wanted to write into, and are not there. */
  readonly missing: readonly string[];
};

/** A type, as an interface would be no table. */
export type BareMetalSwitchOperations = {
  /** Renders all switches of the namespace. */
  render(request: OperationRequest): Promise<RenderedSwitch>;
};

interface Rendering {
  readonly conditions: ReadonlyMap<string, readonly Condition[]>;
  readonly missing: readonly string[];
}

export function bareMetalSwitchOperations({
  clock,
  options: { switches: secrets },
  foreign,
  readSecret,
  writeSecret,
  listObjects,
}: Pick<IronicPorts, 'clock' | 'foreign' | 'readSecret' | 'writeSecret' | 'listObjects'> & {
  readonly options: Pick<IronicPorts['options'], 'switches'>;
}): BareMetalSwitchOperations {
  /** A hundred switches that change at once are rendered once or twice. */
  const rendering = together<undefined, Rendering>();

  const write = async (
    namespace: string,
    name: string,
    read: SecretContent | undefined,
    wanted: (data: SecretContent['data']) => SecretContent['data'],
  ): Promise<void> => {
    if (read === undefined) return;
    const data = wanted(read.data);
    if (isSame(data, read.data)) return;
    await writeSecret(namespace, name, read, data);
  };

  const render = async (namespace: string): Promise<Rendering> => {
    if (secrets === undefined) return { conditions: new Map(), missing: [] };
    // Before the list (IRONIC-BARE-METAL-SWITCHES-1).
    const [configs, keys] = await Promise.all([
      readSecret(namespace, secrets.configs),
      readSecret(namespace, secrets.credentials),
    ]);
    const listed = (await listObjects(SWITCHES)) as readonly BareMetalSwitch[];
    const switches = listed.filter(
      // mutant: switch-rendered-while-deleted &&.2 -> true
      ({ metadata }) => metadata.namespace === namespace && metadata.deletionTimestamp === undefined,
    );
    const names = new Set(switches.flatMap(({ spec }) => spec?.credentials?.name || []));
    const read = await Promise.all([...names].map(async (name) => [name, await readSecret(namespace, name)] as const));
    const known = read.flatMap(([name, secret]) => (secret === undefined ? [] : [[name, secret.data] as const]));
    const refused = await Promise.all(
      switches.map(
        async ({ metadata: { name }, spec }) =>
          [name, await foreign.refusalOf('switches', spec?.address ?? '')] as const,
      ),
    );
    const { credentialsPath } = secrets;
    const rendered = switchConfigs(switches, {
      secrets: Object.fromEntries(known),
      credentialsPath,
      refused: new Map(refused),
      now: clock.now(),
    });
    const files = Object.entries(rendered.keyFiles);
    // A key is there before the text that names its file.
    await write(namespace, secrets.credentials, keys, (data) => ({
      // mutant: switch-foreign-keys drop
      ...Object.fromEntries(Object.entries(data).filter(([file]) => !isKeyFile(file))),
      ...Object.fromEntries(files.map(([file, text]) => [file, encoded(text)])),
    }));
    await write(namespace, secrets.configs, configs, (data) => ({
      ...data,
      [SWITCH_CONFIGS_KEY]: encoded(rendered.config),
    }));
    return {
      conditions: new Map(rendered.switches.map(({ name, conditions }) => [name, conditions])),
      missing: [
        ...(configs === undefined ? [secrets.configs] : []),
        ...(keys === undefined && files.length > 0 ? [secrets.credentials] : []),
      ],
    };
  };

  return {
    async render({ object: { metadata } }) {
      const namespace = metadata.namespace ?? '';
      const { conditions, missing } = await rendering(namespace, undefined, () => render(namespace));
      return { conditions: missing.length > 0 ? [] : (conditions.get(metadata.name) ?? []), missing };
    },
  };
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function isSame(one: SecretContent['data'], other: SecretContent['data']): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
