// When users edit a floating IP that was refused: its port has another, which an object left there, and they have removed that.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Made } from './invariant-checker.ts';
import { LeftBehind } from './left-behind.ts';

const test = suite('what objects left behind');

const refusedAt = (port: string): string =>
  `invalid configuration creating resource: POST /floatingips of service 'network' answered 409: Cannot associate floating IP 203.0.113.8 (new) with port ${port} using fixed IP 10.90.0.2, as that fixed IP already has a floating IP on external network net-1.`;

const address = (name: string, message: string, status: object = {}): KubeObject =>
  ({
    kind: 'FloatingIP',
    metadata: { name, namespace: 'a', uid: name },
    status: {
      ...status,
      conditions: [{ type: 'Progressing', status: 'False', reason: 'InvalidConfiguration', message }],
    },
  }) as unknown as KubeObject;

/** Users of a cloud with one floating IP at port `port-1`, whose object is deleted. */
function users({ mayLeave, kind = 'FloatingIP' }: { readonly mayLeave: boolean; readonly kind?: string }): {
  readonly objects: KubeObject[];
  /** @returns the objects that were edited */
  readonly look: () => readonly string[];
} {
  const objects: KubeObject[] = [];
  const left: Made = { id: 'old', kind, uid: 'gone', uses: new Set() };
  const made = new Map([['old', left]]);
  let edited: string[] = [];
  const people = new LeftBehind({
    cloud: {
      resources: () => [...made.keys()].map((id) => ({ id, port_id: 'port-1', name: 'namesake' })),
      drift: { remove: () => undefined },
    },
    watchman: {
      detached: new Set(),
      excused: new Set(mayLeave ? ['gone'] : []),
      made,
      objects: () => objects,
      ownerOf: () => undefined,
      onVanished: (id) => void made.delete(id),
    },
    shopWatch: { remove: () => false },
    operator: { remove: () => true },
    touch: ({ name }) => void edited.push(name),
  });
  const look = (): readonly string[] => {
    edited = [];
    people.cleanUp();
    return edited;
  };
  return { objects, look };
}

test('33.2: who was refused a floating IP for one that was left at the port is edited once when that is removed', () => {
  const { objects, look } = users({ mayLeave: true });
  objects.push(address('refused', refusedAt('port-1')));
  assert.equal(look(), ['refused']);
  assert.equal(look(), []);
});

test('33.2: an object that is refused just before the removal, and reports it later, is edited too', () => {
  const { objects, look } = users({ mayLeave: true });
  assert.equal(look(), []);
  objects.push(address('late', refusedAt('port-1')));
  assert.equal(look(), ['late']);
});

test('33.2: so is one that found the left resource beside another of its name', () => {
  const { objects, look } = users({ mayLeave: true, kind: 'Network' });
  const several = 'found more than one matching OpenStack resource during adoption';
  const network = (name: string, resource: object): KubeObject => ({
    ...address(name, several),
    kind: 'Network',
    spec: { resource } as never,
  });
  objects.push(network('stated', { name: 'namesake' }), network('namesake', {}), network('other', {}));
  assert.equal(look(), ['stated', 'namesake']);
});

test('33.2: no other object is edited: a floating IP that was left against the rules is a violation', () => {
  const leaked = users({ mayLeave: false });
  leaked.objects.push(address('refused', refusedAt('port-1')));
  assert.equal(leaked.look(), []);
  const { objects, look } = users({ mayLeave: true });
  objects.push(
    address('elsewhere', refusedAt('port-2')),
    address('other', 'another refusal'),
    address('recorded', refusedAt('port-1'), { id: 'new' }),
  );
  assert.equal(look(), []);
});

test.run();
