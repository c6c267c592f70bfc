// Pages for people: the services and versions that are served, and the OpenAPI document of each in a viewer.
//
// The viewer is swagger-ui-dist: kept, under the license of this project, and one script without an `eval`. The others that
// were weighed: redoc brings a library of telemetry, @scalar/api-reference some 30 packages and requests to its own hosts, and
// rapidoc has not been kept for two years.
//
// Invariants:
//   OCM-VIEWER-1. The pages load nothing from elsewhere, and run no script but those of this package and the viewer's.
//   OCM-VIEWER-2. Nothing is read before a browser asks for it, and nothing of it is kept.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { escaped } from '../../docs/html.ts';
import type { Answer } from './call.ts';
import type { Served } from './served.ts';

/** Path of the pages: none of the contract's, which begin with `/api`. */
export const PAGES = 'docs';

const FOLDER = new URL('../viewer/', import.meta.url);
const VIEWER = 'swagger-ui-dist';
const SCRIPT = 'swagger-ui-bundle.js';
const STYLE = 'swagger-ui.css';
const OWN_SCRIPT = 'page.js';
const OWN_STYLE = 'page.css';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    // mutant: viewer-any-script '' -> "script-src * 'unsafe-inline'"
    "script-src 'self'",
    "style-src 'self'",
    // Signs in the style of the viewer.
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Answers `/docs`, `/docs/<service>/<version>` and the files that these load.
 *
 * @param segments  of the path, decoded
 * @returns undefined for another path
 */
export async function page({ services }: Served, segments: readonly string[]): Promise<Answer | undefined> {
  const [pages, service, version, ...others] = segments;
  if (pages !== PAGES || others.length > 0) return undefined;
  if (service === undefined) return sent('html', contents(services));
  if (version === undefined) {
    const own = [OWN_SCRIPT, OWN_STYLE].find((name) => name === service);
    return own === undefined ? undefined : sent(own, await readFile(new URL(own, FOLDER), 'utf8'));
  }
  const { name, folder } = installed();
  if (service === name) {
    const file = [SCRIPT, STYLE].find((each) => each === version);
    if (file === undefined) return undefined;
    // Its path has the version of the package: it never changes.
    // mutant: viewer-kept await.1 -> (known = { ...known, [file]: $ })[file]
    return sent(file, await readFile(join(folder, file), 'utf8'), 'public, max-age=31536000, immutable');
  }
  const url = services.get(service)?.get(version)?.version.url;
  return url === undefined ? undefined : sent('html', viewer(`${service} ${version}`, `${url}/openapi`, name));
}

function sent(file: string, body: string, cache = 'no-cache'): Answer {
  const type = TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? 'text/plain';
  return { status: 200, headers: { ...HEADERS, 'Content-Type': type, 'Cache-Control': cache }, body };
}

interface Installed {
  /** With its version. */
  readonly name: string;
  readonly folder: string;
}

let known: Installed | undefined;

function installed(): Installed {
  if (known === undefined) {
    const require = createRequire(import.meta.url);
    const manifest = require.resolve(`${VIEWER}/package.json`);
    const { version } = require(manifest) as { readonly version: string };
    known = { name: `${VIEWER}@${version}`, folder: dirname(manifest) };
  }
  return known;
}

function contents(services: Served['services']): string {
  const lists = [...services].map(([service, versions]) => {
    const entries = [...versions].map(([version, tree]) => {
      const name = `${service} ${version}`;
      return `<li><a href="${escaped(`/${PAGES}/${service}/${version}`)}">${escaped(name)}</a>:
<a href="${escaped(`${tree.version.url}/openapi`)}">OpenAPI document of ${escaped(name)}</a></li>`;
    });
    return `<h2>${escaped(service)}</h2>\n<ul>\n${entries.join('\n')}\n</ul>`;
  });
  const all = lists.length > 0 ? lists.join('\n') : '<p>No service is served.</p>';
  return html('Services', { head: '', main: `<main>\n<h1>Services</h1>\n${all}\n</main>` });
}

function viewer(name: string, document: string, viewerName: string): string {
  const lib = `/${PAGES}/${viewerName}`;
  const head = `<link rel="stylesheet" href="${lib}/${STYLE}">
<script src="${lib}/${SCRIPT}" defer></script>
<script src="/${PAGES}/${OWN_SCRIPT}" type="module"></script>
`;
  const main = `<nav aria-label="Services"><a href="/${PAGES}">All services</a>
<a href="${escaped(document)}">OpenAPI document of ${escaped(name)}</a></nav>
<div id="document" data-url="${escaped(document)}"><p>Loading ${escaped(name)}</p></div>`;
  return html(name, { head, main });
}

function html(title: string, { head, main }: { readonly head: string; readonly main: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
${head}<link rel="stylesheet" href="/${PAGES}/${OWN_STYLE}">
</head>
<body>
${main}
</body>
</html>
`;
}
