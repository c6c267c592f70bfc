// What users do with the objects of Windows storage and with Secrets, and what they change where these are the key to.
import type { JsonObject } from '../../../../bus/mod.ts';
import type { HistoryContext } from '../../model.ts';
import { encoded, secretPath, Users } from '../../users.ts';
import { type Estate, NOWHERE, PASSWORD, type PlannedSecret, type Thing, USERNAME } from './estate.ts';
import type { Machines } from './machines.ts';
import type { SecretDone, ThingDeed } from './plan.ts';

export interface WindowsUsersDeps extends HistoryContext {
  readonly estate: Estate;
  readonly machines: Machines;
}

const GROUP = '/apis/windows.troupe.dev/v1alpha1';

export class WindowsUsers extends Users {
  readonly #deps: WindowsUsersDeps;
  /** As what Secrets open has it now, by that. */
  readonly #passwords = new Map<string, string>();
  /** Machines have their names back, as do those that stand for them from now on. */
  #isPutRight = false;

  constructor(deps: WindowsUsersDeps) {
    super(deps);
    this.#deps = deps;
  }

  do(deed: ThingDeed, thing: Thing): void {
    const path = pathOf(thing);
    const [edit, back] = thing.edit ?? [];
    const title = `${thing.kind} '${thing.namespace}/${thing.name}'`;
    switch (deed) {
      case 'create':
        this.create({ path, body: () => this.#objectOf(thing), what: title });
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
      case 'moveAway':
      case 'moveBack': {
        const nodeName = deed === 'moveAway' ? NOWHERE : (thing.spec['nodeName'] ?? '');
        this.patch(`edits ${title}: node ${String(nodeName)}`, path, { spec: { nodeName } });
        return;
      }
      case 'pin':
      case 'unpin':
        this.pin(this.#deps.cluster.get(thing.plural, thing.namespace, thing.name)?.metadata, deed, (finalizers) =>
          this.patch(`${deed}s ${title}`, path, { metadata: { finalizers } }),
        );
        return;
    }
  }

  async doSecret({ deed, number }: Pick<SecretDone, 'deed' | 'number'>, planned: PlannedSecret): Promise<void> {
    const { namespace, name } = planned;
    const path = secretPath(namespace, name);
    switch (deed) {
      case 'createSecret': {
        const body = (): JsonObject => {
          const data = { username: encoded(USERNAME), password: encoded(this.#passwordOf(planned)) };
          return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
        };
        this.create({ path, body, what: `Secret '${namespace}/${name}'` });
        return;
      }
      case 'deleteSecret':
        this.delete(`Secret '${namespace}/${name}'`, path);
        return;
      case 'emptySecret':
        this.#write(planned, '');
        return;
      case 'spoilSecret':
        this.#write(planned, `${PASSWORD}-wrong`);
        return;
      case 'rotate':
        this.#passwords.set(lockOf(planned), `${PASSWORD}-${number}`);
        await this.#changeLock(planned);
        this.#write(planned, this.#passwordOf(planned));
        return;
    }
  }

  /** What holds objects up that only users can let go is over. */
  putRight(): void {
    this.#isPutRight = true;
    for (const thing of this.#deps.estate.things) {
      this.do('unpin', thing);
      if (thing.kind !== 'WindowsStorageNode') continue;
      this.do('editBack', thing);
      this.do('moveBack', thing);
    }
    for (const secret of this.#deps.estate.secrets) {
      void this.doSecret({ deed: 'createSecret', number: 0 }, secret);
      this.#write(secret, this.#passwordOf(secret));
    }
  }

  #objectOf({ kind, name, spec, isBornElsewhere = false }: Thing): JsonObject {
    const isElsewhere = isBornElsewhere && !this.#isPutRight;
    const asked = isElsewhere ? { ...spec, nodeName: NOWHERE } : spec;
    return { apiVersion: 'windows.troupe.dev/v1alpha1', kind, metadata: { name }, spec: asked };
  }

  async #changeLock(planned: PlannedSecret): Promise<void> {
    const { opens } = planned;
    const { machines } = this.#deps;
    const password = this.#passwordOf(planned);
    if ('share' in opens) for (const { memory } of machines.all) await memory.smb.changePassword(opens.share, password);
    else machines.of(opens.node).memory.iscsi.changeSecret(opens.iqn, password);
  }

  #passwordOf(planned: PlannedSecret): string {
    return this.#passwords.get(lockOf(planned)) ?? PASSWORD;
  }

  #write({ namespace, name }: PlannedSecret, password: string): void {
    const data = { username: encoded(USERNAME), password: encoded(password) };
    this.patch(`writes Secret '${namespace}/${name}'`, secretPath(namespace, name), { data });
  }
}

function pathOf({ namespace, plural, name }: Thing): string {
  return `${GROUP}/namespaces/${namespace}/${plural}/${name}`;
}

/** Secrets of several namespaces may be the key to one. */
function lockOf({ opens }: PlannedSecret): string {
  return 'share' in opens ? opens.share : opens.iqn;
}
