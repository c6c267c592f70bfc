// The names in a query in PromQL: enough of the language for the queries of this project, which promtool checks in full.

/** A metric that a query reads, and the labels that it is picked by. */
export interface Selected {
  readonly metric: string;
  readonly labels: readonly string[];
}

export interface Names {
  readonly selected: readonly Selected[];
  /** Labels that are summed by, or matched on. */
  readonly grouped: readonly string[];
}

const GROUPING = ['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'];
const OPERATORS = ['and', 'or', 'unless', 'bool', 'offset', ...GROUPING];
const TOKEN = /"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[a-zA-Z_:][\w:]*|\d[\w.]*|=~|!~|!=|==|<=|>=|\S/g;

export function namesIn(query: string): Names {
  const tokens = query.match(TOKEN) ?? [];
  const selected: { metric: string; labels: string[] }[] = [];
  const grouped: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (!/^[a-zA-Z_:]/.test(token)) continue;
    const next = tokens[at + 1];
    if (GROUPING.includes(token)) {
      if (next !== '(') continue;
      for (at += 2; tokens[at] !== ')' && at < tokens.length; at++)
        if (tokens[at] !== ',') grouped.push(tokens[at] ?? '');
      continue;
    }
    // Functions, and aggregations with their labels in front.
    if (
      OPERATORS.includes(token) ||
      next === '(' ||
      (GROUPING.includes(next ?? '') && tokens[at + 2] === '(' && isAggregation(token))
    )
      continue;
    const labels: string[] = [];
    if (next === '{') {
      for (at += 2; tokens[at] !== '}' && at < tokens.length; at++) {
        const isName = /^[a-zA-Z_]/.test(tokens[at] ?? '') && /^(=|!=|=~|!~)$/.test(tokens[at + 1] ?? '');
        if (isName) labels.push(tokens[at] ?? '');
      }
    }
    selected.push({ metric: token, labels });
  }
  return { selected, grouped };
}

function isAggregation(token: string): boolean {
  return ['sum', 'max', 'min', 'count', 'avg', 'topk'].includes(token);
}
