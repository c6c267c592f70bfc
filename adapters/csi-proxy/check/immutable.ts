// C00: a released version does not change, comments, formatting and deprecation marks aside.
import { allEnums, allMessages, type Element, type Position, type ProtoFile, type Reserved } from '../protos/mod.ts';
import { type Finding, Severity } from './finding.ts';
import { Findings, paired } from './scope.ts';

interface Part {
  readonly path: string;
  readonly at: Position;
  /** All that may not change, as text. */
  readonly content: string;
}

/** Findings that are breaks, and C00 for every other difference. */
export function differences(
  scope: { group: string; version: string; base: ProtoFile; current: ProtoFile },
  found: readonly Finding[],
): readonly Finding[] {
  const findings = new Findings(scope);
  const breaks = found.filter(({ severity }) => severity === Severity.Break);
  const said = new Set(breaks.map(({ element }) => element));
  // A renamed part has its old name, and the place of the new one.
  const saidAt = new Set(breaks.map(({ at }) => `${at.line}:${at.column}`));
  const { both, gone, fresh } = paired(partsOf(scope.base), partsOf(scope.current), ({ path }) => path);
  const changes = [
    ...both
      .filter(([before, after]) => before.content !== after.content)
      .map(([, after]) => ({ part: after, text: 'changed' })),
    ...gone.map((part) => ({ part, text: 'removed' })),
    ...fresh.map((part) => ({ part, text: 'added' })),
  ];
  for (const { part, text } of changes) {
    if (said.has(part.path) || saidAt.has(`${part.at.line}:${part.at.column}`)) continue;
    findings.add('C00', Severity.Break, part, `${text}, but the version is released`);
  }
  const changed = new Set(changes.map(({ part }) => part.path));
  return [
    ...found.filter(({ element, severity }) => severity === Severity.Break || !changed.has(element)),
    ...findings.all,
  ];
}

function partsOf(file: ProtoFile): readonly Part[] {
  const { syntax, services } = file;
  return [
    { path: '', at: file.package?.at ?? syntax.at, content: JSON.stringify([syntax.name, file.package?.name]) },
    ...services.flatMap((service) => [
      part(service, []),
      ...service.rpcs.map((rpc) => part(rpc, [rpc.request, rpc.response, rpc.requestStream, rpc.responseStream])),
    ]),
    ...allMessages(file).flatMap((message) => [
      part(message, reservedOf(message.reserved)),
      ...message.fields.map((field) => {
        const { number, jsonName, cardinality, type, keyType, optional, oneof } = field;
        return part(field, [number, jsonName, cardinality, type, keyType, optional, oneof]);
      }),
    ]),
    ...allEnums(file).flatMap((one) => [
      part(one, reservedOf(one.reserved)),
      ...one.values.map((value) => part(value, [value.number])),
    ]),
  ];
}

function part({ path, at, options }: Element, content: readonly unknown[]): Part {
  const { deprecated: _, ...bound } = options;
  return { path, at, content: JSON.stringify([content, bound]) };
}

function reservedOf({ ranges, names }: Reserved): readonly unknown[] {
  return [...ranges.map(({ from, to }) => `${from} to ${to}`), ...names.map(({ name }) => name)].sort();
}
