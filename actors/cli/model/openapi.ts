// `troupe model openapi`: an OpenAPI document for every version of every service.
import { missingLinkTargets, type OpenApiOptions, openApi } from '../../../adapters/ocm/openapi/mod.ts';
import { generate } from './output.ts';

export async function run(args: readonly string[]): Promise<number> {
  return await generate('openapi', args, (model, values) => {
    const options: OpenApiOptions = {
      operationIds: values['operation-ids'] === true,
      required: values['required'] === true,
      readOnly: values['read-only'] === true,
      methodGet: values['method-get'] === true,
      hints: values['hints'] === true,
      closeLinks: values['close-links'] === true,
    };
    const files = new Map<string, string>();
    for (const version of model.services.flatMap(({ versions }) => versions)) {
      const file = `${version.service.name.snake}/${version.name.snake}/openapi.json`;
      const missing = options.closeLinks === true ? [] : missingLinkTargets(version).map(({ name }) => name.camel);
      if (missing.length > 0) {
        const names = missing.join(', ');
        process.stderr.write(`${file}: no schema for link targets of other services: ${names}; see --close-links\n`);
      }
      files.set(file, openApi(version, options));
    }
    return files;
  });
}
