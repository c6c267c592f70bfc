// The paths of a document: every way from the root through the locators.
import { chainsOf, type Version } from '../model/mod.ts';
import type { JsonText } from './json-text.ts';
import { OperationIds } from './operation-ids.ts';
import { type Operation, writeListByPost, writeMetadataOperation, writeOperation } from './operations.ts';
import type { OpenApiOptions } from './options.ts';

/** Writes the paths into the open object: the root, then the others by code point, each followed by its actions. */
export function writePaths(json: JsonText, version: Version, options: OpenApiOptions): void {
  const ids = options.operationIds === true ? new OperationIds() : undefined;
  for (const chain of chainsOf(version)) {
    const isRoot = chain.outer === undefined;
    const locators = chain.locators.map(({ name }) => name.camel);
    const operations = chain.resource.methods.map(
      (method): Operation => ({
        method,
        pathParameters: chain.parameters,
        id: ids?.of(locators, method.name.camel),
      }),
    );
    const plain = operations.filter(({ method }) => method.segment === undefined);
    const list = options.methodGet === true ? plain.find(({ method }) => method.kind === 'List') : undefined;
    if (plain.length > 0 || isRoot) {
      json.object(chain.path, () => {
        // The model's declaration of the root replaces the default one.
        if (isRoot && !plain.some(({ method }) => method.verb === 'GET')) {
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
