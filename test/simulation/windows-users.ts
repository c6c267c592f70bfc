// What users do with the objects of Windows storage and with Secrets, and what they change where these are the key to.
import { type JsonObject, toErrorData } from '../../bus/mod.ts';
import type { Chronicle } from './chronicle.ts';
import type { Cluster, KubeCall } from './cluster.ts';
import { createWhenFree } from './creating.ts';
import type { SimulatedTime } from './time.ts';
import { type Estate, NAMESPACE, PASSWORD, type PlannedSecret, type Thing, USERNAME } from './windows-estate.ts';
import type { Machines } from './windows-machines.ts';
import type { SecretDeed, ThingDeed } from './windows-plan.ts';

export interface WindowsUsersDeps {
  readonly time: SimulatedTime;
  readonly cluster: Cluster;
  readonly estate: Estate;
  readonly machines: Machines;
  readonly chronicle: Chronicle;
  /** Something is to be looked at again. */
  readonly onChange: () => void;
}

/** Whoever keeps an object that is deleted. */
const PIN = 'simulation.example.org/keeps';
const GROUP = '/apis/windows.troupe.dev/v1alpha1';

export class WindowsUsers {
  readonly #deps: WindowsUsersDeps;
  /** By the name of the Secret, as what it opens has it now. */
  readonly #passwords = new Map<string, string>();
  /** What users have asked for and the API server has not taken yet. */
  pending = 0;

  constructor(deps: WindowsUsersDeps) {
    this.#deps = deps;
  }

  do(deed: ThingDeed, thing: Thing): void {
    const path = pathOf(thing);
    const [edit, back] = thing.edit ?? [];
    const title = `${thing.kind} '${thing.name}'`;
    switch (deed) {
      case 'create':
        this.#create(path, () => objectOf(thing), title);
        return;
      case 'delete':
        this.#ask(`deletes ${title}`, { method: 'DELETE', path });
        return;
      case 'edit':
      case 'editBack': {
        const spec = deed === 'edit' ? edit : back;
        if (spec !== undefined) this.#patch(`edits ${title}: ${JSON.stringify(spec)}`, path, { spec });
        return;
      }
      case 'pin':
      case 'unpin':
        this.#pin(thing, deed);
        return;
    }
  }

  async doSecret(deed: SecretDeed, name: string, number: number): Promise<void> {
    const planned = this.#deps.estate.secrets.find((each) => each.name === name);
    if (planned === undefined) return;
    const path = secretPath(name);
    switch (deed) {
      case 'createSecret': {
        const secret = (): JsonObject => {
          const data = { username: encoded(USERNAME), password: encoded(this.#passwordOf(name)) };
          return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
        };
        this.#create(path, secret, `Secret '${name}'`);
        return;
      }
      case 'deleteSecret':
        this.#ask(`deletes Secret '${name}'`, { method: 'DELETE', path });
        return;
      case 'emptySecret':
        this.#write(name, '');
        return;
      case 'spoilSecret':
        this.#write(name, `${PASSWORD}-wrong`);
        return;
      case 'rotate':
        this.#passwords.set(name, `${PASSWORD}-${number}`);
        await this.#changeLock(planned);
        this.#write(name, this.#passwordOf(name));
        return;
    }
  }

  /** What holds objects up that only users can let go is over. */
  putRight(): void {
    for (const thing of this.#deps.estate.things) {
      this.do('unpin', thing);
      if (thing.kind === 'WindowsStorageNode') this.do('editBack', thing);
    }
    for (const { name } of this.#deps.estate.secrets) {
      void this.doSecret('createSecret', name, 0);
      this.#write(name, this.#passwordOf(name));
    }
  }

  async #changeLock({ name, opens }: PlannedSecret): Promise<void> {
    const { machines } = this.#deps;
    const password = this.#passwordOf(name);
    if ('share' in opens) for (const { memory } of machines.all) await memory.smb.changePassword(opens.share, password);
    else machines.of(opens.node).memory.iscsi.changeSecret(opens.iqn, password);
  }

  #passwordOf(name: string): string {
    return this.#passwords.get(name) ?? PASSWORD;
  }

  #write(name: string, password: string): void {
    const data = { username: encoded(USERNAME), password: encoded(password) };
    this.#patch(`writes Secret '${name}'`, secretPath(name), { data });
  }

  /** Others hold it, or do not any more. */
  #pin(thing: Thing, deed: 'pin' | 'unpin'): void {
    const known = this.#deps.cluster.get(thing.plural, NAMESPACE, thing.name)?.metadata;
    if (known === undefined || (deed === 'pin' && known.deletionTimestamp !== undefined)) return;
    const others = known.finalizers?.filter((finalizer) => finalizer !== PIN) ?? [];
    if (deed === 'unpin' && others.length === (known.finalizers?.length ?? 0)) return;
    const finalizers = [...others, ...(deed === 'pin' ? [PIN] : [])];
    this.#patch(`${deed}s ${thing.kind} '${thing.name}'`, pathOf(thing), { metadata: { finalizers } });
  }

  #patch(what: string, path: string, body: JsonObject): void {
    this.#ask(what, { method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  }

  /** Once; what is not there is fine. */
  #ask(what: string, call: KubeCall): void {
    try {
      this.#deps.cluster.call(call);
      this.#deps.chronicle.note(`user ${what}`, () => `a user ${what}`);
    } catch (error) {
      if (toErrorData(error).code !== 'absent') throw error;
    }
  }

  #create(path: string, body: () => JsonObject, what: string): void {
    const { onChange } = this.#deps;
    this.pending += 1;
    const done = (): void => {
      this.pending -= 1;
      onChange();
    };
    createWhenFree(this.#deps, { path, body, what }, { done });
  }
}

function objectOf({ kind, name, spec }: Thing): JsonObject {
  return { apiVersion: 'windows.troupe.dev/v1alpha1', kind, metadata: { name }, spec };
}

function pathOf({ plural, name }: Thing): string {
  return `${GROUP}/namespaces/${NAMESPACE}/${plural}/${name}`;
}

function secretPath(name: string): string {
  return `/api/v1/namespaces/${NAMESPACE}/secrets/${name}`;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
