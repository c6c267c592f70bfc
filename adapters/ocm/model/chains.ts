// Every way from the root of a version through its locators: the URLs that its resources have.
import type { Locator, Resource, Version } from './model.ts';

/** A way to a resource. */
export interface Chain {
  /** With the path parameters in braces: `/api/library_mgmt/v1/books/{book_id}`. */
  readonly path: string;
  /** Names of the path parameters, from the root on. */
  readonly parameters: readonly string[];
  /** From the root on; empty for the root itself. */
  readonly locators: readonly Locator[];
  readonly resource: Resource;
  /** The way without its last locator; undefined for the root. */
  readonly outer: Chain | undefined;
}

/**
 * All ways: that to the root first, then the others by code point of their paths.
 *
 * @param version  of a model without errors: locators make no loops
 */
export function chainsOf({ url, root }: Version): Chain[] {
  if (root === undefined) return [];
  const chains: Chain[] = [{ path: url, parameters: [], locators: [], resource: root, outer: undefined }];
  for (const outer of chains) {
    for (const locator of outer.resource.locators) {
      const parameter = `${locator.segment}_id`;
      chains.push({
        path: `${outer.path}/${locator.variable ? `{${parameter}}` : locator.segment}`,
        parameters: locator.variable ? [...outer.parameters, parameter] : outer.parameters,
        locators: [...outer.locators, locator],
        resource: locator.target,
        outer,
      });
    }
  }
  const [start, ...others] = chains;
  return start === undefined ? [] : [start, ...others.sort(byPath)];
}

function byPath({ path: a }: Chain, { path: b }: Chain): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
