// Checks of a version as a whole: its root, and the tree that locators make.
import type { Place, Resource, Version } from './model.ts';
import type { Scope } from './scope.ts';

/** Resources at either end of a path in a message. */
const SHOWN = 6;

/** Checks what can be reached from the root, and what cannot. */
export function checkTree(version: Version, scope: Scope): void {
  if (version.root === undefined) {
    const place: Place = { file: scope.directory, line: 0, column: 0, offset: 0, length: 0 };
    scope.report('version.no-root', place, `version '${scope.dotted}' has no resource 'Root'`);
    return;
  }
  const reached = reach(version.root, scope);
  for (const resource of version.resources) {
    if (reached.has(resource)) continue;
    const message = `no locator leads to resource '${scope.dotted}.${resource.name.camel}', so it has no URL`;
    scope.report('resource.unreachable', resource.place, message);
  }
}

/** Depth first, without recursion; a resource is looked into once, however many ways lead to it. */
function reach(root: Resource, scope: Scope): Set<Resource> {
  const reached = new Set([root]);
  // From the root to where we are: keys are the resources on the way, values how many of their locators were followed.
  const path = new Map([[root, 0]]);
  const stack = [root];
  for (let resource = stack.at(-1); resource !== undefined; resource = stack.at(-1)) {
    const followed = path.get(resource) ?? 0;
    const locator = resource.locators[followed];
    if (locator === undefined) {
      path.delete(resource);
      stack.pop();
      continue;
    }
    path.set(resource, followed + 1);
    const { target, place, name } = locator;
    if (path.has(target)) {
      const circle = pathOf([...stack.slice(stack.indexOf(target)), target]);
      const dotted = `${scope.dotted}.${resource.name.camel}.${name.camel}`;
      scope.report('locator.loop', place, `locator '${dotted}' closes a circle: ${circle}`);
    } else if (!reached.has(target)) {
      reached.add(target);
      path.set(target, 0);
      stack.push(target);
    }
  }
  return reached;
}

/** Of a long path its ends. */
function pathOf(resources: readonly Resource[]): string {
  const names = (part: readonly Resource[]): string => part.map(({ name }) => name.camel).join(' > ');
  if (resources.length <= 2 * SHOWN) return names(resources);
  return `${names(resources.slice(0, SHOWN))} > ... > ${names(resources.slice(-SHOWN))}`;
}
