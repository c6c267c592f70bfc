import { readFileSync } from 'node:fs';
import type { Model, Version } from '../model/mod.ts';
import { declarations, moduleName, TypeNames } from './declarations.ts';
import { memberName } from './identifiers.ts';
import { resources } from './resources.ts';

const CLIENT = new URL('./client.ts', import.meta.url);

/**
 * TypeScript modules for a model without errors, by path: `<service>/<version>.ts` with types and `connect`, and
 * `client.ts`, which they stand on. Between each other they import only types, so that they run as they are too.
 */
export function typeScript({ services }: Model): Map<string, string> {
  const files = new Map([['client.ts', readFileSync(CLIENT, 'utf8')]]);
  for (const version of services.flatMap(({ versions }) => versions)) files.set(fileOf(version), moduleOf(version));
  return files;
}

function fileOf({ service, name }: Version): string {
  return `${service.name.snake}/${name.snake}.ts`;
}

function moduleOf(version: Version): string {
  const names = new TypeNames(version);
  const parts = [declarations(version, names), errorCodes(version), resources(version, names)];
  const imports = [...names.imported].map(
    (other) => `import type * as ${moduleName(other)} from '../${fileOf(other).replace(/\.ts$/, '.js')}';\n`,
  );
  const head = `// Made of the model of ${version.service.name.snake} ${version.name.snake} by 'troupe model types'; changes do not last.\nimport type * as troupe from '../client.js';\n${imports.sort().join('')}`;
  return [head, ...parts.filter((part) => part !== '')].join('\n');
}

/** The numbers of the model's errors. */
function errorCodes({ errors }: Version): string {
  if (errors.length === 0) return '';
  const codes = errors.map(({ name, code }) => `  ${memberName(name.camel)}: ${code},\n`).join('');
  return `/** Errors of this API: \`error.is(ERROR_CODES.${errors[0]?.name.camel})\`. */\nexport const ERROR_CODES = Object.freeze({\n${codes}} as const);\n`;
}
