// The documentation of a model: a page for every resource and type, and lists of them.
import type { Model, Version } from '../model/mod.ts';
import { code, link, page, table } from './markdown.ts';
import { resourcePage, resourceRow } from './resources.ts';
import { brief, details, directoryOf, Site } from './site.ts';
import { typePage, usesIn } from './types.ts';

/** Markdown pages of a model without errors, by path: `index.md` and `<service>/<version>/...`. */
export function documentation(model: Model): Map<string, string> {
  const versions = model.services.flatMap((service) => service.versions);
  const site = new Site(model);
  const uses = usesIn(versions, site);
  const pages = new Map([['index.md', overview(versions)]]);
  for (const version of versions) {
    pages.set(indexOf(version), versionPage(version, site));
    for (const resource of version.resources) pages.set(site.file(resource), resourcePage(resource, site));
    for (const type of version.types) pages.set(site.file(type), typePage(type, site, uses));
  }
  return pages;
}

function indexOf(version: Version): string {
  return `${directoryOf(version)}/index.md`;
}

function overview(versions: readonly Version[]): string {
  const rows = versions.map((version) => [
    link(`${version.service.name.snake} ${version.name.snake}`, indexOf(version)),
    code(version.url),
    version.root === undefined ? '' : brief(version.root),
  ]);
  return page(['# Services', '', ...table(['version', 'URL', 'summary'], rows)]);
}

function versionPage(version: Version, site: Site): string {
  const from = indexOf(version);
  const { resources, types, errors } = version;
  return page(
    [`# ${version.service.name.snake} ${version.name.snake}`, '', link('All services', '../../index.md'), ''],
    [
      '## Resources',
      '',
      ...table(
        ['name', 'URL', 'summary'],
        resources.map((each) => resourceRow(each, site, from)),
      ),
    ],
    types.length === 0 ? [] : ['## Types', ''],
    table(
      ['name', 'kind', 'summary'],
      types.map((type) => [site.link(type, from), type.kind, brief(type)]),
    ),
    errors.length === 0 ? [] : ['## Errors', ''],
    table(
      ['name', 'code', 'summary'],
      errors.map((error) => [error.name.camel, String(error.code), brief(error)]),
    ),
    details(errors),
  );
}
