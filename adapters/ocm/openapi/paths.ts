// The paths of a document: every way from the root through the locators.
import type { Resource, Version } from '../model/mod.ts';
import type { JsonText } from './json-text.ts';
import { OperationIds } from './operation-ids.ts';
import { type Operation, writeListByPost, writeMetadataOperation, writeOperation } from './operations.ts';
import type { OpenApiOptions } from './options.ts';

/** A way to a resource. */
interface Chain {
  readonly path: string;
  /** Names of the path parameters, from the root on. */
  readonly parameters: readonly string[];
  /** Names of the locators, from the root on. */
  readonly locators: readonly string[];
  readonly resource: Resource;
}

/** Writes the paths into the open object: the root, then the others by code point, each followed by its actions. */
export function writePaths(json: JsonText, { url, root }: Version, options: OpenApiOptions): void {
  if (root === undefined) return;
  const ids = options.operationIds === true ? new OperationIds() : undefined;
  const [start, ...others] = chainsFrom({ path: url, parameters: [], locators: [], resource: root });
  for (const chain of start === undefined ? [] : [start, ...others.sort(byPath)]) {
    const operations = chain.resource.methods.map(
      (method): Operation => ({
        method,
        pathParameters: chain.parameters,
        id: ids?.of(chain.locators, method.name.camel),
      }),
    );
    const plain = operations.filter(({ method }) => method.segment === undefined);
    const list = options.methodGet === true ? plain.find(({ method }) => method.kind === 'List') : undefined;
    if (plain.length > 0 || chain === start) {
      json.object(chain.path, () => {
        // What the model says of the root replaces what every root has.
        if (chain === start && !plain.some(({ method }) => method.verb === 'GET')) {
          writeMetadataOperation(json, ids?.of([], 'GetMetadata'));
        }
        const post = plain.find(({ method }) => method.verb === 'POST');
        for (const operation of plain) {
          if (operation === post && list !== undefined) writeListByPost(json, list, post, options);
          else writeOperation(json, operation, options);
        }
        if (list !== undefined && post === undefined) writeListByPost(json, list, undefined, options);
      });
    }
    for (const action of operations) {
      if (action.method.segment === undefined) continue;
      json.object(`${chain.path}/${action.method.segment}`, () => writeOperation(json, action, options));
    }
  }
}

/** A chain, and all that begin with it. The model has no loops, as it has no errors. */
function chainsFrom(chain: Chain): Chain[] {
  const chains = [chain];
  for (const { path, parameters, locators, resource } of chains) {
    for (const { segment, variable, target, name } of resource.locators) {
      const parameter = `${segment}_id`;
      chains.push({
        path: `${path}/${variable ? `{${parameter}}` : segment}`,
        parameters: variable ? [...parameters, parameter] : parameters,
        locators: [...locators, name.camel],
        resource: target,
      });
    }
  }
  return chains;
}

function byPath({ path: a }: Chain, { path: b }: Chain): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
