// The squares of the map, drawn: a shape as well as a color for each state.
import type { Tree } from '../wire.ts';
import { FAMILIES, familyIcon, familyOf } from './kind-icons.ts';
import { rankOf, StatusColor, TONES } from './tones.ts';

const [CELL, GAP, ICON] = [7, 2, 18] as const;
const STEP = CELL + GAP;
/** Between the squares of two families. */
const BETWEEN = 3;

export type Palette = ReadonlyMap<string, string>;

/** The squares of one group: where each is. */
export interface Squares {
  readonly trees: readonly Tree[];
  readonly places: readonly (readonly [x: number, y: number])[];
  /** Icons of families in front of their rows. */
  readonly icons: readonly (readonly [path: string, family: string, y: number])[];
  readonly height: number;
}

/** Failing first; split by family only where something is not available. */
export function squaresOf(all: readonly Tree[], width: number): Squares {
  const isWell = all.every(({ tone }) => tone === StatusColor.Available);
  const left = isWell ? 0 : ICON;
  const across = Math.max(1, Math.floor((width - left + GAP) / STEP));
  const parts = isWell
    ? [{ family: undefined, of: all }]
    : FAMILIES.map((family) => ({ family, of: all.filter((tree) => familyOf(tree) === family) }));
  const trees: Tree[] = [];
  const places: (readonly [number, number])[] = [];
  const icons: (readonly [string, string, number])[] = [];
  let top = 1;
  for (const { family, of } of parts) {
    if (of.length === 0) continue;
    if (family !== undefined) icons.push([familyIcon(family), family, top]);
    for (const [index, tree] of of.toSorted((one, other) => rankOf(one.tone) - rankOf(other.tone)).entries()) {
      trees.push(tree);
      places.push([left + (index % across) * STEP, top + Math.floor(index / across) * STEP]);
    }
    top += Math.ceil(of.length / across) * STEP + BETWEEN;
  }
  return { trees, places, icons, height: Math.max(STEP, top - BETWEEN) };
}

/** The object at a point; undefined: none. */
export function squareAt({ trees, places }: Squares, x: number, y: number): Tree | undefined {
  const index = places.findIndex(
    ([left, top]) => x >= left - 1 && x < left + STEP - 1 && y >= top - 1 && y < top + STEP - 1,
  );
  return trees[index];
}

/** Style of squares. */
export interface Look {
  /** Width in pixels at scale 1. */
  readonly width: number;
  readonly scale: number;
  readonly palette: Palette;
  /** Key of an object of these; empty: none. */
  readonly chosen: string;
}

/** Content of a canvas. */
export interface Painted {
  readonly look: string;
  readonly palette: Palette;
  /** Sign of each square, in order. */
  readonly signs: readonly string[];
}

/** Draws what differs from what the canvas shows: of thousands of squares a change concerns a few. */
export function paint(
  canvas: HTMLCanvasElement,
  { trees, places, icons, height }: Squares,
  { width, scale, palette, chosen }: Look,
  isAway: (tree: Tree) => boolean,
  before: Painted | undefined,
): Painted {
  const ratio = (devicePixelRatio || 1) * scale;
  const look = [width, height, ratio, chosen, places.length, ...icons.map(([, family, y]) => `${family} ${y}`)].join();
  const signs = trees.map((tree) => (isAway(tree) ? `-${tree.tone}` : tree.tone));
  const painted: Painted = { look, palette, signs };
  const isKept = before?.look === look && before.palette === palette && chosen === '';
  const ink = canvas.getContext('2d');
  if (ink === null) return painted;
  if (!isKept) {
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
    canvas.style.height = `${height * scale}px`;
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.clearRect(0, 0, width, height);
    for (const [path, family, y] of icons) familySign(ink, path, y, palette.get(family) ?? '');
  }
  for (const [index, tree] of trees.entries()) {
    if (isKept && before.signs[index] === signs[index]) continue;
    const [x, y] = places[index] ?? [0, 0];
    // A shape reaches a pixel beyond its square, and no neighbor's does.
    if (isKept) ink.clearRect(x - 1, y - 1, STEP, STEP);
    ink.globalAlpha = isAway(tree) ? 0.12 : tree.tone === StatusColor.Available ? 0.4 : 1;
    square(ink, x, y, tree.tone, palette);
    if (tree.key !== chosen) continue;
    ink.globalAlpha = 1;
    ink.strokeStyle = palette.get('accent') ?? '';
    ink.lineWidth = 2;
    ink.strokeRect(x - 1, y - 1, CELL + 2, CELL + 2);
  }
  return painted;
}

function familySign(ink: CanvasRenderingContext2D, path: string, y: number, color: string): void {
  ink.save();
  ink.translate(0, y - 2);
  ink.scale(0.74, 0.74);
  ink.lineWidth = 1.4;
  ink.lineCap = 'round';
  ink.strokeStyle = color;
  ink.stroke(new Path2D(path));
  ink.restore();
}

const OUTLINED: ReadonlySet<StatusColor> = new Set([StatusColor.Waiting, StatusColor.Unseen, StatusColor.Held]);

function square(ink: CanvasRenderingContext2D, x: number, y: number, tone: StatusColor, palette: Palette): void {
  const color = palette.get(tone) ?? '';
  ink.fillStyle = color;
  ink.strokeStyle = color;
  ink.lineWidth = 1.7;
  ink.beginPath();
  if (tone === StatusColor.Failing) {
    ink.moveTo(x + 3.5, y - 1);
    ink.lineTo(x + 8, y + 7.6);
    ink.lineTo(x - 1, y + 7.6);
    ink.closePath();
    ink.fill();
  } else if (OUTLINED.has(tone)) {
    ink.roundRect(x + 0.8, y + 0.8, CELL - 1.6, CELL - 1.6, 2);
    ink.stroke();
  } else if (tone === StatusColor.Failed || tone === StatusColor.Quarantined || tone === StatusColor.Unavailable) {
    ink.roundRect(x - 0.5, y - 0.5, CELL + 1, CELL + 1, 2);
    ink.fill();
    ink.strokeStyle = palette.get('surface') ?? '';
    ink.lineWidth = 1.3;
    ink.beginPath();
    ink.moveTo(x + 1.8, y + 1.8);
    ink.lineTo(x + 5.2, y + 5.2);
    if (tone !== StatusColor.Unavailable) {
      ink.moveTo(x + 5.2, y + 1.8);
      ink.lineTo(x + 1.8, y + 5.2);
    }
    ink.stroke();
  } else if (tone === StatusColor.Deleting) {
    ink.roundRect(x, y, CELL, CELL, 2);
    ink.fill();
    ink.strokeStyle = palette.get('surface') ?? '';
    ink.lineWidth = 1.3;
    ink.beginPath();
    ink.moveTo(x + 1.6, y + 3.5);
    ink.lineTo(x + 5.4, y + 3.5);
    ink.stroke();
  } else {
    ink.roundRect(x, y, CELL, CELL, 2);
    ink.fill();
  }
}

/** Colors as they are in the theme now. */
export function paletteOf(probe: HTMLElement): Palette {
  const names = [...TONES.map(({ tone }) => tone as string), ...FAMILIES, 'accent', 'surface'];
  const found = new Map<string, string>();
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    found.set(name, getComputedStyle(probe).color);
  }
  return found;
}
