// Two models, service by service: what a client of the old one would miss in the new one.
//
// Invariants:
//   OCM-MODELS-1. What counts is what clients see: URLs, verbs, statuses, names and shapes on the wire, and the names of generated
//       types. Other names, order, layout and documentation do not.
//   OCM-MODELS-2. Additions break nothing: everything is optional, and clients ignore what they do not know.
import type { Model, Place, Service, Version } from '../model/mod.ts';
import type { Break, Report } from './breaks.ts';
import { resourceComparer } from './resources.ts';
import { typeComparer } from './types.ts';

/** @returns what breaks clients, in the order of services, versions and names of the old model */
export function compareModels(old: Model, now: Model): Break[] {
  const breaks: Break[] = [];
  const reportFor =
    (service: Service, version?: Version): Report =>
    (rule, message, place, newPlace) => {
      const of = { service: service.name.snake, version: version?.name.snake };
      breaks.push({ rule, message, ...of, old: place, new: newPlace });
    };
  for (const service of old.services) {
    const other = now.services.find(({ name }) => name.key === service.name.key);
    const [first] = service.versions;
    if (other === undefined) {
      if (first !== undefined)
        reportFor(service)('service.removed', `service '${service.name.snake}' was removed`, placeOf(first));
      continue;
    }
    for (const version of service.versions) {
      const report = reportFor(service, version);
      const newVersion = other.versions.find(({ name }) => name.key === version.name.key);
      if (newVersion !== undefined) compareVersions(version, newVersion, report);
      else {
        const message = `version '${service.name.snake}/${version.name.snake}' was removed`;
        report('version.removed', message, placeOf(version));
      }
    }
  }
  return breaks;
}

function compareVersions(old: Version, now: Version, report: Report): void {
  const compareTypes = typeComparer(report);
  if (old.root !== undefined && now.root !== undefined) {
    resourceComparer(report, compareTypes)(old.root, now.root, old.url);
  }
  for (const type of old.types) {
    const other = now.types.find(({ name }) => name.key === type.name.key);
    if (other !== undefined)
      compareTypes(type, other, { what: `'${type.name.camel}'`, old: type.place, now: other.place });
    else report('type.removed', `${type.kind} '${type.name.camel}' was removed`, type.place);
  }
  for (const error of old.errors) {
    const other = now.errors.find(({ name }) => name.key === error.name.key);
    if (other === undefined) report('error.removed', `error '${error.name.camel}' was removed`, error.place);
    else if (other.code !== error.code) {
      const message = `the code of error '${error.name.camel}' is ${other.code} and was ${error.code}`;
      report('error.code', message, error.place, other.place);
    }
  }
}

function placeOf({ directory }: Version): Place {
  return { file: directory, line: 0, column: 0, offset: 0, length: 0 };
}
