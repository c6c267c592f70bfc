// Which of the things that happen are the deeds of users, and who does them.
import type { Hands } from './hands.ts';
import { pathOf, SECRET } from './manifests.ts';
import type { People } from './people.ts';
import type { Happening } from './plan.ts';

/** False: it is no deed of a user. */
export function usersDo(step: Happening, people: People, hands: Hands): boolean {
  switch (step.what) {
    case 'create':
      people.create(step.object);
      return true;
    case 'edit':
      people.touch(step.object, step.text);
      return true;
    case 'rename':
      people.rename(step.object, step.text);
      return true;
    case 'nonsense':
      people.writeNonsense(step.object);
      return true;
    case 'unsettle':
      people.unsettle(step.object);
      return true;
    case 'letGo':
      people.letGo(step.object);
      return true;
    case 'unrefer':
    case 'refer':
    case 'reprint':
      people[step.what](step.object);
      return true;
    case 'tamper':
    case 'takeChild':
    case 'freeze':
      people[step.what](step.object, step.child);
      return true;
    case 'pin':
    case 'unpin':
    case 'unguard':
    case 'unown':
    case 'forgetId':
    case 'deleteInForeground':
    case 'unpinKeepsake':
      hands[step.what](step.object);
      return true;
    case 'delete':
      people.ask(`deletes ${step.object.kind} '${step.object.name}'`, 'DELETE', pathOf(step.object));
      return true;
    case 'deleteNamespace':
      people.deleteNamespace(step.namespace);
      return true;
    case 'deleteSecret':
      people.ask('deletes the secret', 'DELETE', pathOf({ kind: 'Secret', namespace: step.namespace, name: SECRET }));
      return true;
    case 'createSecret':
      people.createSecret(step.namespace);
      return true;
    case 'rotateSecret': {
      const path = pathOf({ kind: 'Secret', namespace: step.namespace, name: SECRET });
      people.ask('changes the secret', 'PATCH', path, { data: { note: 'bm90ZQ==' } });
      return true;
    }
    case 'appear':
      people.makeNetwork(step.name);
      return true;
    case 'empty':
    case 'fill':
      people[step.what](step.object);
      return true;
    case 'open':
      people.openDoor(step.name);
      return true;
    case 'twins':
    case 'usurp':
      people.mislead(step.what, step.object);
      return true;
    case 'drift':
    case 'vanish':
    case 'build':
    case 'fail':
      people.alter(step.what, step.object);
      return true;
    default:
      return false;
  }
}
