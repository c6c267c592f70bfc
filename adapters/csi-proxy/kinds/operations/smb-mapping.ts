// What is done for one mapping of a share.
//
// Invariants:
//   S1. A mapping that works, and that this object has not made, is left as it is.
//   S2. No password is told, nor what Windows says with one in it.
import type { Operation } from '../../../adapter.ts';
import { parseRemotePath } from '../../server/smb/remote-path.ts';
import { Code, StatusError } from '../../status.ts';
import { SMB_MAPPINGS } from '../resources.ts';
import { textOf, wordOf } from '../values.ts';
import { type Credentials, credentialsIn, hashOf, NOBODY } from './credentials.ts';
import { type Answer, type Extra, type MachinePorts, onMachine, PATIENT } from './serving.ts';
import { requireWanted } from './wanted.ts';

export function smbMappingOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  const { lanes, encryption } = ports;
  const rootOf = ({ object }: Pick<Extra<object>, 'object'>): string =>
    parseRemotePath(textOf(object.spec?.['remotePath'])).root;
  const credentialsOf = async ({ object }: Pick<Extra<object>, 'object'>): Promise<Credentials> => {
    const name = wordOf(object.spec?.['credentialsSecretRef']);
    return name === undefined ? NOBODY : credentialsIn(ports, object, name);
  };
  const stateOf = async ({ host }: MachinePorts, root: string): Promise<'mapped' | 'broken' | 'absent' | 'untold'> => {
    const state = await host.smb.isSmbMapped(root);
    // One that Windows calls sound may lead nowhere, as when the server knows other credentials by now.
    return state === 'mapped' && !(await host.filesystem.pathValid(root)) ? 'broken' : state;
  };
  return {
    /** Answers `{ root, state, hash, users }`. */
    look: (request: Extra<object>): Answer =>
      onMachine(ports, request, async (here) => {
        const root = rootOf(request);
        const credentials = await credentialsOf(request);
        const users = usersOf(request);
        return {
          root,
          state: await stateOf(here, root),
          // mutant: mapping-hash-is-password : -> $1.2.password
          hash: await hashOf(ports, credentials, request.object),
          users,
        };
      }),
    /**
     * Answers the `hash` of what it was mapped with. `anew`: one that works is mapped once more; with `unused` unless somebody has
     * come meanwhile, and then there are `users` in the answer, and no hash (R2).
     */
    map: (request: Extra<{ anew: boolean; unused: boolean }>): Answer => {
      const secrets: string[] = [];
      const work = async (here: MachinePorts): Answer => {
        const { host } = here;
        const credentials = await credentialsOf(request);
        // mutant: mapping-tells-password drop
        secrets.push(credentials.password);
        const hash = await hashOf(ports, credentials, request.object);
        const root = rootOf(request);
        return lanes.run(`smb ${root}`, PATIENT, async () => {
          await requireWanted(ports, SMB_MAPPINGS, request);
          const state = await stateOf(here, root);
          if (state === 'mapped' && request.anew !== true) return { hash };
          const users = usersOf(request);
          // mutant: mapping-made-anew drop
          if (state === 'mapped' && request.unused === true && users > 0) return { users };
          if (state === 'mapped' || state === 'broken') await host.smb.removeSmbGlobalMapping(root);
          await host.smb.newSmbGlobalMapping({ root, ...credentials, encryption });
          return { hash };
        });
      };
      return onMachine(ports, request, work, secrets);
    },
    unmap: (request: Extra<object>): Answer =>
      onMachine(ports, request, async ({ host }) => {
        const root = rootOf(request);
        await lanes.run(`smb ${root}`, PATIENT, async () => {
          await unlessAbsent(() => host.smb.removeSmbGlobalMapping(root));
        });
        return {};
      }),
  };
}

/** What is gone already has been taken away, by whomever. */
async function unlessAbsent(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof StatusError && error.code === Code.NotFound)) throw error;
  }
}

/** Mounts that lead to it, as far as its actor had heard of them when it asked. */
function usersOf({ claimants = [] }: Pick<Extra<object>, 'claimants'>): number {
  return claimants.filter(({ attributes }) => attributes['use'] === 'link').length;
}
