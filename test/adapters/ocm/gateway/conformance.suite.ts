// The rules of the HTTP contract, chapters 1 to 6 and 8, over real HTTP: one test for each, against every store.
import { errors } from './conformance/errors.ts';
import { lists } from './conformance/lists.ts';
import { methods } from './conformance/methods.ts';
import { objects } from './conformance/objects.ts';
import { requests } from './conformance/requests.ts';
import { ruleSuite } from './conformance/rules.ts';
import type { MakeStore } from './store.suite.ts';

export function conformanceSuite(name: string, make: MakeStore): void {
  ruleSuite(`conformance: ${name}`, make, [requests, objects, lists, methods, errors]);
}
