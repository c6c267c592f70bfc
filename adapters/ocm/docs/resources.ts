// The page of a resource.
import type { Method, Parameter, Resource } from '../model/mod.ts';
import { anchor, code, link, page, table } from './markdown.ts';
import { brief, details, long, relativeTo, type Site } from './site.ts';

export function resourcePage(resource: Resource, site: Site): string {
  const file = site.file(resource);
  const urls = site.urls(resource);
  const { methods, locators } = resource;
  return page(
    [
      `# ${resource.name.camel}`,
      '',
      `resource of ${link(code(resource.version.url), 'index.md')}`,
      '',
      ...long(resource),
    ],
    urls.length === 0 ? ['No locator leads here: it has no URL.', ''] : [...urls.map((url) => `- ${code(url)}`), ''],
    methods.length === 0 ? [] : ['## Methods', ''],
    table(
      ['name', 'request', 'summary'],
      methods.map((method) => [
        link(method.name.camel, `#${anchor(method.name.camel)}`),
        code(`${method.verb} …${method.segment === undefined ? '' : `/${method.segment}`}`),
        brief(method),
      ]),
    ),
    locators.length === 0 ? [] : ['## Locators', ''],
    table(
      ['name', 'URL', 'resource', 'summary'],
      locators.map((locator) => [
        locator.name.camel,
        code(`…/${locator.variable ? `{${locator.segment}_id}` : locator.segment}`),
        site.link(locator.target, file),
        brief(locator),
      ]),
    ),
    details(locators),
    methods.flatMap((method) => methodSection(method, urls, site)),
  );
}

function methodSection(method: Method, urls: readonly string[], site: Site): string[] {
  const suffix = method.segment === undefined ? '' : `/${method.segment}`;
  const file = site.file(method.owner);
  return [
    `### ${method.name.camel}`,
    '',
    ...long(method),
    ...urls.map((url) => `- ${code(`${method.verb} ${url}${suffix}`)}`),
    '',
    `Status of success: ${method.status}`,
    '',
    ...table(
      ['parameter', 'type', 'direction', 'place', 'default', 'summary'],
      method.parameters.map((parameter) => [
        parameter.name.camel,
        site.type(parameter.type, file),
        [...(parameter.input ? ['in'] : []), ...(parameter.output ? ['out'] : [])].join(' '),
        placesOf(parameter, method).join(', '),
        parameter.default === undefined ? '' : code(JSON.stringify(parameter.default)),
        brief(parameter),
      ]),
    ),
    ...details(method.parameters),
  ];
}

/** Locations and names of a parameter in requests and responses. */
function placesOf(parameter: Parameter, { query, requestBody, responseBody }: Method): string[] {
  const places: string[] = [];
  if (query.includes(parameter)) places.push(`query ${code(parameter.queryName)}`);
  for (const [body, what] of [
    [requestBody, 'request'],
    [responseBody, 'response'],
  ] as const) {
    if (!body.parameters.includes(parameter)) continue;
    places.push(body.bare ? `whole ${what}` : `${what} ${code(parameter.wireName)}`);
  }
  return places;
}

export function resourceRow(resource: Resource, site: Site, from: string): string[] {
  const urls = site.urls(resource).map(code).join('<br>');
  return [link(resource.name.camel, relativeTo(from, site.file(resource))), urls, brief(resource)];
}
