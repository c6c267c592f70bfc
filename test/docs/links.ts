// Links of a Markdown document, and where they may lead.

/** A link within the checkout: `path` from the document, empty for itself, and what follows `#`. */
export interface Link {
  readonly line: number;
  readonly path: string;
  readonly anchor: string | undefined;
}

/** `[text](target)`, `![text](target)`, and `[text]: target`; those to elsewhere are none. */
export function linksOf(text: string): readonly Link[] {
  const links: Link[] = [];
  for (const [index, line] of withoutCode(text).entries()) {
    for (const [, inline, reference] of line.matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)|^ {0,3}\[[^\]]+\]: +(\S+)/g)) {
      const target = inline ?? reference ?? '';
      if (/^[a-z][a-z+.-]*:/i.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      links.push({ line: index + 1, path: decodeURIComponent(path), anchor });
    }
  }
  return links;
}

/** What may follow `#`, as GitHub makes it of headings. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const line of withoutFences(text)) {
    const heading = /^ {0,3}#{1,6} +(.*?)(?: +#+)? *$/.exec(line)?.[1];
    if (heading !== undefined) {
      const slug = heading
        .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
        .replaceAll(' ', '-');
      let anchor = slug;
      for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
      anchors.add(anchor);
    }
    for (const [, id = ''] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  }
  return anchors;
}

/** Lines, those of fenced blocks empty. */
function withoutFences(text: string): readonly string[] {
  let isFenced = false;
  return text.split('\n').map((line) => {
    const isFence = line.startsWith('```');
    if (isFence) isFenced = !isFenced;
    return isFence || isFenced ? '' : line;
  });
}

function withoutCode(text: string): readonly string[] {
  return withoutFences(text).map((line) => line.replace(/`[^`]*`/g, '``'));
}
