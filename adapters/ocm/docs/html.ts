// Markdown as HTML: as much of it as the pages and the documentation of models use.
//
// Invariants:
//   OCM-HTML-1. Whatever a model says is text: markup in it is shown and never takes effect, but for the Markdown below.
//   OCM-HTML-2. A link leads to another page, to a heading, or to the web by http or https; any other is text.
import { anchor } from './markdown.ts';

const FENCE = /^\s*(```+|~~~+)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$/;
const ROW = /^\|.*\|\s*$/;
const RULE = /^\|(?:\s*:?-+:?\s*\|)+\s*$/;
/** Code, a link, bold, an address in angle brackets, a bare one, the break that pages use, an escaped character. */
const INLINE =
  /(`+)(.+?)\1(?!`)|\[([^\]]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)|\*\*([^*]+)\*\*|<(https?:\/\/[^\s<>]+)>|(https?:\/\/[^\s<>()|]*[\w/])|(<br>)|\\([!-/:-@[-`{-~])/g;

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** @param markdown  a page */
export function html(markdown: string): string {
  const lines = markdown.split(/\r?\n/);
  const out: string[] = [];
  let at = 0;
  const takeWhile = (isPart: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && isPart(lines[at] ?? '')) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    if (line.trim() === '') at++;
    else if (fence !== undefined) {
      at++;
      out.push(codeBlock(takeWhile((each) => !each.trim().startsWith(fence))));
      at++;
    } else if (heading !== null) {
      at++;
      out.push(headingOf(heading[1]?.length ?? 1, heading[2] ?? ''));
    } else if (ROW.test(line) && RULE.test(lines[at + 1] ?? '')) out.push(tableOf(takeWhile((each) => ROW.test(each))));
    else if (ITEM.test(line)) out.push(listOf(takeWhile((each) => ITEM.test(each) || /^\s+\S/.test(each))));
    else if (/^(?: {4}|\t)/.test(line)) {
      out.push(
        codeBlock(takeWhile((each) => /^(?: {4}|\t)/.test(each)).map((each) => each.replace(/^(?: {4}|\t)/, ''))),
      );
    } else {
      const start = at;
      const paragraph = takeWhile((each) => at === start || !startsBlock(each));
      out.push(`<p>${paragraph.map(inline).join('\n')}</p>`);
    }
  }
  return out.map((each) => `${each}\n`).join('');
}

function startsBlock(line: string): boolean {
  return line.trim() === '' || FENCE.test(line) || HEADING.test(line) || ITEM.test(line) || ROW.test(line);
}

function codeBlock(lines: readonly string[]): string {
  return `<pre><code>${escaped(lines.join('\n'))}</code></pre>`;
}

function headingOf(level: number, text: string): string {
  return `<h${level} id="${escaped(anchor(text))}">${inline(text)}</h${level}>`;
}

/** Items of one level: what is further in is a part of the item above it. */
function listOf(lines: readonly string[]): string {
  const items: string[] = [];
  for (const line of lines) {
    const text = ITEM.exec(line)?.[2];
    if (text !== undefined) items.push(inline(text));
    else items.push(`${items.pop() ?? ''}\n${inline(line.trim())}`);
  }
  return `<ul>\n${items.map((item) => `<li>${item}</li>\n`).join('')}</ul>`;
}

function tableOf([head = '', , ...rows]: readonly string[]): string {
  const row = (line: string, cell: string): string => {
    const cells = line
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/);
    return `<tr>${cells.map((text) => `<${cell}>${inline(text.trim().replaceAll('\\|', '|'))}</${cell}>`).join('')}</tr>\n`;
  };
  const body = rows.map((each) => row(each, 'td')).join('');
  return `<table>\n<thead>\n${row(head, 'th')}</thead>\n<tbody>\n${body}</tbody>\n</table>`;
}

function inline(text: string): string {
  let out = '';
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, , code, label, target, bold, angled, bare, lineBreak, character] = match;
    out += escaped(text.slice(end, match.index));
    end = match.index + whole.length;
    if (code !== undefined) out += `<code>${escaped(code.trim())}</code>`;
    else if (target !== undefined) out += linkOf(label ?? '', target, whole);
    else if (bold !== undefined) out += `<strong>${escaped(bold)}</strong>`;
    else if (lineBreak !== undefined) out += '<br>';
    else if (character !== undefined) out += escaped(character);
    else out += linkOf(angled ?? bare ?? '', angled ?? bare ?? '', whole);
  }
  return out + escaped(text.slice(end));
}

function linkOf(label: string, target: string, whole: string): string {
  // mutant: link-runs-script if -> false
  if (!/^(?:https?:\/\/|#|(?:\.\.\/)*[\w-][\w./-]*(?:#.*)?$)/.test(target)) return escaped(whole);
  const address = /^https?:/.test(target) ? target : target.replace(/\.md(?=#|$)/, '.html');
  const code = /^(`+)(.+)\1$/.exec(label)?.[2];
  const text = code === undefined ? escaped(label) : `<code>${escaped(code)}</code>`;
  return `<a href="${escaped(address)}" rel="noreferrer">${text}</a>`;
}
