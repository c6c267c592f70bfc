// HTML site that needs no server: every file is self-contained, nothing is loaded from elsewhere, and the only script
// is the search of the first page, whose hash is the only one that the page's policy allows.
import { createHash } from 'node:crypto';
import type { Item, Model } from '../model/mod.ts';
import { escaped, html } from './html.ts';
import { anchor } from './markdown.ts';
import { directoryOf, relativeTo, Site } from './site.ts';

/** Something that can be found: what it is called, what it is, where, and what it says. */
type Entry = readonly [name: string, what: string, href: string, text: string];

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; color: #1b1f24; background: #fff; }
a { color: #0550ae; } nav { border-bottom: 1px solid #d0d7de; padding-bottom: .5rem; }
table { border-collapse: collapse; width: 100%; display: block; overflow-x: auto; } th, td { border: 1px solid #d0d7de; padding: .3rem .6rem; text-align: left; vertical-align: top; }
code, pre { font-family: ui-monospace, monospace; background: #f6f8fa; } pre { padding: .6rem; overflow-x: auto; }
input { font: inherit; width: 100%; padding: .4rem; box-sizing: border-box; }
@media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117; } a { color: #79c0ff; } code, pre { background: #161b22; } }
`;
/** Runs in a browser; what it shows is text, and never markup. */
const SEARCH = `
'use strict';
const entries = JSON.parse(document.getElementById('entries').textContent);
const texts = entries.map((entry) => entry.join('\\n').toLowerCase());
const field = document.getElementById('search');
const found = document.getElementById('found');
const MOST = 100;
const show = () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  const hits = words.length === 0 ? [] : entries.filter((_, index) => words.every((word) => texts[index].includes(word)));
  const rank = ([name]) => (words.some((word) => name.toLowerCase().includes(word)) ? 0 : 1);
  hits.sort((a, b) => rank(a) - rank(b));
  found.replaceChildren(...hits.slice(0, MOST).map(([name, what, href, text]) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = href;
    link.textContent = name;
    item.append(link, ' ', what, document.createElement('br'), text.length > 200 ? text.slice(0, 200) + '…' : text);
    return item;
  }));
  document.getElementById('count').textContent = words.length === 0 ? '' : String(hits.length) + ' found';
};
field.addEventListener('input', show);
show();
`;
const STYLE_HASH = hashOf(STYLE);
const SEARCH_HASH = hashOf(SEARCH);

/** @param pages  what `documentation` made of the model @returns the same pages in HTML, with a search on the first */
export function htmlSite(model: Model, pages: ReadonlyMap<string, string>): Map<string, string> {
  const site = new Map<string, string>();
  for (const [file, markdown] of pages) {
    const path = file.replace(/\.md$/, '.html');
    const title = /^# (.*)$/m.exec(markdown)?.[1] ?? file;
    const start = path === 'index.html' ? search(entriesOf(model)) : undefined;
    site.set(path, frame(path, title, html(markdown), start));
  }
  return site;
}

function frame(path: string, title: string, body: string, start: { head: string; foot: string } | undefined): string {
  const script = start === undefined ? '' : ` script-src '${SEARCH_HASH}';`;
  const policy = `default-src 'none'; style-src '${STYLE_HASH}';${script} base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${start === undefined ? `<nav><a href="${relativeTo(path, 'index.html')}">All services, and search</a></nav>\n` : ''}<main>
${start?.head ?? ''}${body}</main>
${start?.foot ?? ''}</body>
</html>
`;
}

function search(entries: readonly Entry[]): { head: string; foot: string } {
  // A text must not end the element it stands in.
  const data = JSON.stringify(entries).replaceAll('<', '\\u003c');
  return {
    head: '<label for="search">Search</label>\n<input id="search" type="search" autocomplete="off">\n<p id="count" role="status"></p>\n<ul id="found"></ul>\n',
    foot: `<script type="application/json" id="entries">${data}</script>\n<script>${SEARCH}</script>\n`,
  };
}

function entriesOf(model: Model): Entry[] {
  const site = new Site(model);
  const entries: Entry[] = [];
  for (const version of model.services.flatMap(({ versions }) => versions)) {
    const where = directoryOf(version);
    const add = (item: Item, name: string, what: string, file: string, heading = ''): void => {
      const href = file.replace(/\.md$/, '.html') + (heading === '' ? '' : `#${anchor(heading)}`);
      entries.push([name, `${what} of ${where}`, href, item.documentation]);
    };
    for (const resource of version.resources) {
      const { camel } = resource.name;
      const file = site.file(resource);
      add(resource, camel, 'resource', file);
      for (const locator of resource.locators)
        add(locator, `${camel}.${locator.name.camel}`, 'locator', file, 'Locators');
      for (const method of resource.methods) {
        const name = `${camel}.${method.name.camel}`;
        add(method, name, 'method', file, method.name.camel);
        for (const each of method.parameters) {
          add(each, `${name}.${each.name.camel}`, 'parameter', file, method.name.camel);
        }
      }
    }
    for (const type of version.types) {
      const file = site.file(type);
      add(type, type.name.camel, type.kind, file);
      const [members, what] = type.kind === 'enum' ? [type.values, 'value'] : [type.attributes, 'attribute'];
      for (const each of members) add(each, `${type.name.camel}.${each.wireName}`, what, file, each.wireName);
    }
    for (const error of version.errors) add(error, error.name.camel, 'error', `${where}/index.md`, 'Errors');
  }
  return entries;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
