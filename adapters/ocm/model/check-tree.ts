// Checks of a version as a whole: its root, and the tree that locators make.
import type { Place, Resource, Version } from './model.ts';
import type { Scope } from './scope.ts';

/** Locators in one URL: many more than anybody wants, and what walks the tree can rely on it. */
const DEEPEST = 100;
/** URLs of one version. Resources that are reached in several ways multiply those below them. */
const MOST_WAYS = 10_000;

/** Resources at either end of a path in a message. */
const SHOWN = 6;

/** Checks what can be reached from the root, and what cannot. */
export function checkTree(version: Version, scope: Scope): void {
  if (version.root === undefined) {
    const place: Place = { file: scope.directory, line: 0, column: 0, offset: 0, length: 0 };
    scope.report('version.no-root', place, `version '${scope.dotted}' has no resource 'Root'`);
    return;
  }
  const { reached, inOrder } = reach(version.root, scope);
  checkWays(inOrder, scope);
  for (const resource of version.resources) {
    if (reached.has(resource)) continue;
    const message = `no locator leads to resource '${scope.dotted}.${resource.name.camel}', so it has no URL`;
    scope.report('resource.unreachable', resource.place, message);
  }
}

interface Tree {
  readonly reached: ReadonlySet<Resource>;
  /** Parents come before their resources; empty if there are loops. */
  readonly inOrder: readonly Resource[];
}

/** Depth first, without recursion; a resource is looked into once, however many ways lead to it. */
function reach(root: Resource, scope: Scope): Tree {
  const finished: Resource[] = [];
  let loops = false;
  const reached = new Set([root]);
  // From the root to where we are: keys are the resources on the way, values how many of their locators were followed.
  const path = new Map([[root, 0]]);
  const stack = [root];
  for (let resource = stack.at(-1); resource !== undefined; resource = stack.at(-1)) {
    const followed = path.get(resource) ?? 0;
    const locator = resource.locators[followed];
    if (locator === undefined) {
      path.delete(resource);
      finished.push(resource);
      stack.pop();
      continue;
    }
    path.set(resource, followed + 1);
    const { target, place, name } = locator;
    if (path.has(target)) {
      loops = true;
      const circle = pathOf([...stack.slice(stack.indexOf(target)), target]);
      const dotted = `${scope.dotted}.${resource.name.camel}.${name.camel}`;
      scope.report('locator.loop', place, `locator '${dotted}' closes a circle: ${circle}`);
    } else if (!reached.has(target)) {
      reached.add(target);
      path.set(target, 0);
      stack.push(target);
    }
  }
  return { reached, inOrder: loops ? [] : finished.reverse() };
}

/** Complains where the tree is deeper, or has more URLs, than can be written down: once each, and not for all that is below. */
function checkWays(inOrder: readonly Resource[], scope: Scope): void {
  const known = new Map<Resource, { ways: number; depth: number }>();
  let total = 1;
  let isDeep = false;
  for (const resource of inOrder) {
    const { ways, depth } = known.get(resource) ?? { ways: 1, depth: 0 };
    for (const { target, place, name } of resource.locators) {
      const dotted = `${scope.dotted}.${resource.name.camel}.${name.camel}`;
      const before = known.get(target) ?? { ways: 0, depth: 0 };
      known.set(target, { ways: before.ways + ways, depth: Math.max(before.depth, depth + 1) });
      if (depth === DEEPEST && !isDeep) {
        const message = `locator '${dotted}' has more than ${DEEPEST} others above it: no URL may be longer`;
        scope.report('locator.depth', place, message);
        isDeep = true;
      }
      // mutant: ways-unbounded if -> false
      if (total <= MOST_WAYS && total + ways > MOST_WAYS) {
        const message = `with locator '${dotted}' the version has more than ${MOST_WAYS} URLs: too many ways lead to the same resources`;
        scope.report('locator.ways', place, message);
      }
      total += ways;
    }
  }
}

/** A long path is shortened in the middle. */
function pathOf(resources: readonly Resource[]): string {
  const names = (part: readonly Resource[]): string => part.map(({ name }) => name.camel).join(' > ');
  if (resources.length <= 2 * SHOWN) return names(resources);
  return `${names(resources.slice(0, SHOWN))} > ... > ${names(resources.slice(-SHOWN))}`;
}
