// The demo's picture: the objects as a tree by their references, cut to the size of a terminal. Pure.
//
// Invariants:
//   CLI-VIEW-1. `layout` gives at most `rows` lines, none of them wider than `columns`.
//   CLI-VIEW-2. Every object is in the picture: with a line of its own, or as a symbol in the line of what it is folded into;
//       where even that has no room, the last line has the number of missing lines.
import { Ink } from '../colors.ts';
import { type History, State } from './history.ts';
import { NAMESPACE } from './landscape.ts';

export interface TreeNode {
  readonly label: string;
  /** Undefined: nothing is known of it, or it is not there yet. */
  readonly state: State | undefined;
  /** Object that it waits for, or the state in words. */
  readonly detail: string;
  readonly children: readonly TreeNode[];
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

interface Look {
  readonly symbol: string;
  /** Parameter of the ANSI sequence that sets the color. */
  readonly color: string;
}

const UNKNOWN: Look = { symbol: '·', color: '90' };
const LOOKS: Readonly<Record<State, Look>> = {
  waiting: { symbol: '○', color: '37' },
  creating: { symbol: '◐', color: '33' },
  available: { symbol: '●', color: '32' },
  present: { symbol: '●', color: '32' },
  unavailable: { symbol: '✗', color: '31' },
  retrying: { symbol: '↻', color: '35' },
  failed: { symbol: '✗', color: '31' },
  held: { symbol: '◍', color: '34' },
  deleting: { symbol: '◌', color: '36' },
  gone: { symbol: '·', color: '90' },
};

/** Meanings of the states, for people. States that share a symbol are named together. */
const MEANINGS: readonly (readonly [state: State, meaning: string])[] = [
  [State.Waiting, 'waiting for what it refers to'],
  [State.Creating, 'creating'],
  [State.Available, 'available'],
  [State.Retrying, 'trying again'],
  [State.Failed, 'failed'],
  [State.Held, 'held: deleted, and still used'],
  [State.Deleting, 'deleting'],
  [State.Gone, 'gone'],
];

/** Meanings of the picture's symbols, or, where there is none, of the lines. */
export function legend(terminal: boolean, ink: Ink): string {
  if (!terminal) return '  each line: the objects that came to a state meanwhile; held: deleted, and still used';
  const color = ({ symbol, color }: Look): string => (ink === Ink.Plain ? symbol : `\x1b[${color}m${symbol}\x1b[0m`);
  return `  ${MEANINGS.map(([state, meaning]) => `${color(LOOKS[state])} ${meaning}`).join('  ')}`;
}

/** Names of what it waits for, in the line of an object: as many as fit any terminal. */
const NAMED = 2;

/**
 * The tree of objects: each below the one it refers to that is itself furthest from the root.
 *
 * @param shown  keys of the objects to show; all that are followed unless given
 */
export function treeOf(
  history: History,
  shown: ReadonlySet<string> = new Set(history.objects.keys()),
): readonly TreeNode[] {
  const depths = new Map<string, number>();
  const depth = (key: string): number => {
    const known = depths.get(key);
    if (known !== undefined) return known;
    const object = history.objects.get(key);
    if (object === undefined) return Number.POSITIVE_INFINITY;
    const found = object.references.length === 0 ? 0 : 1 + Math.max(...object.references.map(depth));
    depths.set(key, found);
    return found;
  };
  const below = new Map<string, string[]>();
  const put = (parent: string, key: string): void => {
    below.set(parent, [...(below.get(parent) ?? []), key]);
  };
  for (const { key, references } of history.objects.values()) {
    if (!shown.has(key)) continue;
    // An object that all refer to, such as the credentials, is no parent in the tree.
    const places = references.filter(
      (reference) => depth(reference) > 0 && (shown.has(reference) || !history.objects.has(reference)),
    );
    const parent = places.sort((one, other) => depth(other) - depth(one))[0] ?? '';
    put(parent, key);
    if (parent !== '' && !history.objects.has(parent) && !below.get('')?.includes(parent)) put('', parent);
  }
  const node = (key: string): TreeNode => ({
    label: key,
    state: history.state(key),
    detail: detailOf(history, key),
    children: (below.get(key) ?? []).sort(compare).map(node),
  });
  return (below.get('') ?? []).sort(compare).map(node);
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The state of an object in words, with whom it waits for. */
export function detailOf(history: History, key: string): string {
  const state = history.state(key);
  if (state === undefined) return history.objects.has(key) ? '' : 'not there yet';
  if (state === State.Available || state === State.Present) return '';
  const others = state === State.Waiting ? history.awaited(key) : state === State.Held ? history.users(key) : [];
  if (others.length === 0) return state === State.Waiting ? 'claiming' : state;
  const named = others.slice(0, NAMED).join(', ');
  const more = others.length > NAMED ? ` and ${others.length - NAMED} more` : '';
  return state === State.Held ? `held by ${named}${more}` : `waiting for ${named}${more}`;
}

/** Number of objects by state: `40 available, 3 creating`. */
export function countsOf(history: History): string {
  const counts = new Map<State, number>();
  for (const key of history.objects.keys()) {
    const state = history.state(key);
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return Object.values(State)
    .filter((state) => counts.has(state))
    .map((state) => `${counts.get(state)} ${state}`)
    .join(', ');
}

type Piece = readonly [text: string, color?: string];

/**
 * Lines of the tree below its heading. Lines beyond its height are folded, one symbol per object: a single object into the line of its
 * kind, the rest into the line of its parent.
 */
export function layout(heading: string, all: readonly TreeNode[], size: Size, ink: Ink): readonly string[] {
  const isTooHigh = all.length + all.flatMap(descendants).length > size.rows - 1;
  const roots = isTooHigh ? groupedByKind(all) : all;
  const folded = foldedFor(roots, size.rows - 1);
  const rows: Piece[][] = [];
  const draw = (nodes: readonly TreeNode[], indent: string): void => {
    nodes.forEach((node, index) => {
      const isLast = index === nodes.length - 1;
      const { symbol, color } = node.state === undefined ? UNKNOWN : LOOKS[node.state];
      const line: Piece[] = [[`${indent}${isLast ? '└─' : '├─'} `, '90'], [symbol, color], [` ${node.label}`]];
      if (node.detail !== '') line.push([`  ${node.detail}`, color]);
      if (folded.has(node)) {
        line.push(['  ']);
        for (const { state } of descendants(node)) {
          const look = state === undefined ? UNKNOWN : LOOKS[state];
          line.push([look.symbol, look.color]);
        }
      }
      rows.push(line);
      if (!folded.has(node)) draw(node.children, `${indent}${isLast ? '   ' : '│  '}`);
    });
  };
  draw(roots, '');
  const room = Math.max(0, size.rows - 1);
  const shown: Piece[][] =
    rows.length <= room
      ? rows
      : [...rows.slice(0, Math.max(0, room - 1)), [[`… ${rows.length - Math.max(0, room - 1)} more`, '90'] as const]];
  return [[[NAMESPACE, '1'], [`  ${heading}`]] as Piece[], ...shown]
    .slice(0, size.rows)
    .map((line) => colored(line, size.columns, ink));
}

/** As few lines as this make a line of their own. */
const GROUPED = 2;

/** Leaves of one kind as one node, `flavor/*`, where there are several of a kind. */
function groupedByKind(roots: readonly TreeNode[]): readonly TreeNode[] {
  const alone = new Map<string, TreeNode[]>();
  for (const node of roots) {
    const kind = node.label.slice(0, node.label.indexOf('/'));
    if (node.children.length === 0) alone.set(kind, [...(alone.get(kind) ?? []), node]);
  }
  const groups = [...alone].filter(([, nodes]) => nodes.length >= GROUPED);
  const grouped = new Set(groups.flatMap(([, nodes]) => nodes));
  const nodes = groups.map(([kind, children]): TreeNode => {
    const last = children.find(({ state }) => state !== State.Available && state !== State.Present);
    return { label: `${kind}/*`, state: (last ?? children[0])?.state, detail: '', children };
  });
  return [...roots.filter((node) => !grouped.has(node)), ...nodes].sort((one, other) =>
    compare(one.label, other.label),
  );
}

/** Nodes that are shown without their children: groups of a kind first, then those of one state, then the deepest, then the last. */
function foldedFor(roots: readonly TreeNode[], rows: number): ReadonlySet<TreeNode> {
  const folded = new Set<TreeNode>();
  const all: { readonly node: TreeNode; readonly depth: number; readonly isUniform: boolean }[] = [];
  const collect = (nodes: readonly TreeNode[], depth: number): void => {
    for (const node of nodes) {
      const isUniform = descendants(node).every(({ state }) => state === node.state);
      if (node.children.length > 0) all.push({ node, depth, isUniform });
      collect(node.children, depth + 1);
    }
  };
  collect(roots, 0);
  let lines = roots.length + roots.reduce((sum, root) => sum + descendants(root).length, 0);
  const candidates = (): typeof all =>
    all.filter(({ node }) => !folded.has(node) && node.children.every((child) => isFlat(child, folded)));
  while (lines > rows) {
    const [best] = candidates().sort(
      (one, other) =>
        Number(isGroup(other.node)) - Number(isGroup(one.node)) ||
        Number(other.isUniform) - Number(one.isUniform) ||
        other.depth - one.depth ||
        all.indexOf(other) - all.indexOf(one),
    );
    if (best === undefined) break;
    folded.add(best.node);
    lines -= best.node.children.length;
  }
  return folded;
}

const isGroup = ({ label }: TreeNode): boolean => label.endsWith('/*');

function isFlat(node: TreeNode, folded: ReadonlySet<TreeNode>): boolean {
  return node.children.length === 0 || folded.has(node);
}

function descendants(node: TreeNode): readonly TreeNode[] {
  return node.children.flatMap((child) => [child, ...descendants(child)]);
}

/** The pieces as one line, cut to the width. */
function colored(line: readonly Piece[], columns: number, ink: Ink): string {
  let room = columns;
  let text = '';
  for (const [piece, color] of line) {
    const characters = [...piece];
    const cut = characters.length > room ? [...characters.slice(0, Math.max(0, room - 1)), '…'] : characters;
    if (room <= 0) break;
    room -= cut.length;
    text += ink === Ink.Plain || color === undefined ? cut.join('') : `\x1b[${color}m${cut.join('')}\x1b[0m`;
  }
  return text;
}
