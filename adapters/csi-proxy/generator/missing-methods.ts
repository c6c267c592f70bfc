// Calls of a group that its hand-written server has no method for. They are no error: they end with UNIMPLEMENTED until
// there is one, as the first stubs do, and the rest of the group is served.
import { hint } from '../../text/nearest.ts';
import { methodName, type VersionApi } from './api.ts';
import { stubText } from './emit/scaffold-files.ts';
import { compareText, type Problem } from './problem.ts';
import { declarationOf, keyName, readSource, type Source } from './source.ts';

/** Name of the class that a group's file exports. */
const CLASS = 'Server';

/**
 * @param text  of `server.ts`
 * @param file  stands in the places
 */
export function missingMethods(versions: readonly VersionApi[], text: string, file: string): readonly Problem[] {
  const source = readSource(text, file);
  const found = methodsOf(source);
  if (found === undefined) return source.problems;
  const { methods, at } = found;
  const uses = versions.flatMap(({ version, service }) => service.rpcs.map((rpc) => ({ version, rpc })));
  const expected = new Set(uses.map(({ rpc }) => methodName(rpc.name)));
  const others = [...methods].filter((name) => !expected.has(name));
  const missing = [...Map.groupBy(uses, ({ rpc }) => rpc.name)]
    .filter(([name]) => !methods.has(methodName(name)))
    .sort(([a], [b]) => compareText(a, b));
  return [
    ...source.problems,
    ...missing.map(([name, of]): Problem => {
      const where = of.map(({ version }) => version).join(', ');
      const method = methodName(name);
      const message = `class ${CLASS} has no '${method}'${hint(method, others)}: RPC '${name}' (${where}) ends with UNIMPLEMENTED until there is one, such as`;
      const [newest] = of.toReversed();
      return { at, message, ...(newest !== undefined && { paste: stubText(newest.rpc) }) };
    }),
  ];
}

/** Methods of the class; undefined if unknown: it is not visible, or has a parent. */
function methodsOf(source: Source) {
  const [found] = source.statements.flatMap((statement) => {
    const { declaration } = declarationOf(statement);
    return declaration.type === 'ClassDeclaration' && declaration.id?.name === CLASS ? [declaration] : [];
  });
  if (found === undefined || found.superClass) return undefined;
  const methods = new Set<string>();
  for (const member of found.body.body) {
    if (member.type !== 'ClassMethod' && member.type !== 'ClassProperty') continue;
    const name = member.computed || member.static ? undefined : keyName(member.key);
    if (name !== undefined) methods.add(name);
  }
  return { methods, at: source.at(found.id ?? found) };
}
