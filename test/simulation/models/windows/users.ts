// What users do with the objects of Windows storage and with Secrets, and what they change where these are the key to.
import type { JsonObject } from '../../../../bus/mod.ts';
import type { HistoryContext } from '../../model.ts';
import { encoded, secretPath, Users } from '../../users.ts';
import { type Estate, NAMESPACE, PASSWORD, type PlannedSecret, type Thing, USERNAME } from './estate.ts';
import type { Machines } from './machines.ts';
import type { SecretDeed, ThingDeed } from './plan.ts';

export interface WindowsUsersDeps extends HistoryContext {
  readonly estate: Estate;
  readonly machines: Machines;
}

const GROUP = '/apis/windows.troupe.dev/v1alpha1';

export class WindowsUsers extends Users {
  readonly #deps: WindowsUsersDeps;
  /** By the name of the Secret, as what it opens has it now. */
  readonly #passwords = new Map<string, string>();

  constructor(deps: WindowsUsersDeps) {
    super(deps);
    this.#deps = deps;
  }

  do(deed: ThingDeed, thing: Thing): void {
    const path = pathOf(thing);
    const [edit, back] = thing.edit ?? [];
    const title = `${thing.kind} '${thing.name}'`;
    switch (deed) {
      case 'create':
        this.create({ path, body: () => objectOf(thing), what: title });
        return;
      case 'delete':
        this.delete(title, path);
        return;
      case 'edit':
      case 'editBack': {
        const spec = deed === 'edit' ? edit : back;
        if (spec !== undefined) this.patch(`edits ${title}: ${JSON.stringify(spec)}`, path, { spec });
        return;
      }
      case 'pin':
      case 'unpin':
        this.pin(this.#deps.cluster.get(thing.plural, NAMESPACE, thing.name)?.metadata, deed, (finalizers) =>
          this.patch(`${deed}s ${title}`, path, { metadata: { finalizers } }),
        );
        return;
    }
  }

  async doSecret(deed: SecretDeed, name: string, number: number): Promise<void> {
    const planned = this.#deps.estate.secrets.find((each) => each.name === name);
    if (planned === undefined) return;
    const path = secretPath(NAMESPACE, name);
    switch (deed) {
      case 'createSecret': {
        const body = (): JsonObject => {
          const data = { username: encoded(USERNAME), password: encoded(this.#passwordOf(name)) };
          return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
        };
        this.create({ path, body, what: `Secret '${name}'` });
        return;
      }
      case 'deleteSecret':
        this.delete(`Secret '${name}'`, path);
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
    this.patch(`writes Secret '${name}'`, secretPath(NAMESPACE, name), { data });
  }
}

function objectOf({ kind, name, spec }: Thing): JsonObject {
  return { apiVersion: 'windows.troupe.dev/v1alpha1', kind, metadata: { name }, spec };
}

function pathOf({ plural, name }: Thing): string {
  return `${GROUP}/namespaces/${NAMESPACE}/${plural}/${name}`;
}
