// Claims between the cards of two groups: one ribbon a pair, routed in the gutters between the cards. Pure.
import type { Link } from './card-columns.ts';

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Ribbon {
  readonly link: Link;
  readonly path: string;
  /** Place of the label with the number of claims. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

type Place = readonly [x: number, y: number];

const RADIUS = 8;
/** Between ribbons that leave a card, that enter one, and that run beside each other. */
const [OUT, IN, LANE] = [8, 22, 5];
/** Below the head of a card the first ribbon leaves. */
const [FIRST_OUT, FIRST_IN] = [58, 19];
/** Half of a number's width, and its distance from the card. */
const LABEL = 24;

export function widthOf({ needed }: Link): number {
  return 1.5 + 0.9 * Math.sqrt(needed.length);
}

/** @param columns  ids of groups, from left to right @param boxes  of the cards */
export function ribbonsOf(
  links: readonly Link[],
  columns: readonly (readonly string[])[],
  boxes: ReadonlyMap<string, Box>,
): readonly Ribbon[] {
  const columnOf = new Map(columns.flatMap((ids, index) => ids.map((id) => [id, index] as const)));
  const leaving = new Map<string, number>();
  const entering = new Map<string, number>();
  const lanes = new Map<number, number>();
  const next = (counts: Map<string, number>, id: string): number => {
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return count;
  };
  /** A lane of its own in the gutter on the left of a column. */
  const lane = (column: number): number => {
    const count = lanes.get(column) ?? 0;
    lanes.set(column, count + 1);
    return count;
  };
  const gutter = (column: number): readonly [number, number] => {
    const rights = (columns[column - 1] ?? []).map((id) => boxes.get(id)?.right ?? 0);
    const lefts = (columns[column] ?? []).map((id) => boxes.get(id)?.left ?? 0);
    return [Math.max(0, ...rights), Math.min(...lefts)];
  };
  const known = links.filter(
    ({ from, to }) => boxes.has(from) && boxes.has(to) && columnOf.has(from) && columnOf.has(to),
  );
  const span = ({ from, to }: Link): number => (columnOf.get(to) ?? 0) - (columnOf.get(from) ?? 0);
  return known
    .toSorted(
      (one, other) => span(one) - span(other) || (boxes.get(one.to)?.top ?? 0) - (boxes.get(other.to)?.top ?? 0),
    )
    .map((link): Ribbon => {
      const [from, to] = [boxes.get(link.from) as Box, boxes.get(link.to) as Box];
      const [start, end] = [columnOf.get(link.from) ?? 0, columnOf.get(link.to) ?? 0];
      const clamp = ({ top, bottom }: Box, y: number): number => Math.min(y, bottom - 12, Math.max(y, top + 8));
      const y1 = clamp(from, from.top + FIRST_OUT + OUT * next(leaving, link.from));
      const y2 = clamp(to, to.top + FIRST_IN + IN * next(entering, link.to));
      const width = widthOf(link);
      if (end <= start) {
        // Back to the left, or within a column: round the right side.
        const [near, far] = [gutter(start + 1)[0], Math.max(from.right, to.right)];
        const x = Math.max(near, far) + 12 + LANE * (lane(start + 1) % 4);
        return {
          link,
          width,
          path: rounded([
            [from.right, y1],
            [x, y1],
            [x, y2],
            [to.right, y2],
          ]),
          x: to.right + LABEL,
          y: y2,
        };
      }
      const [left, right] = gutter(end);
      const last = Math.min(right - 2 * LABEL + 6, left + 8 + LANE * (lane(end) % 4));
      if (end === start + 1) {
        return {
          link,
          width,
          path: rounded([
            [from.right, y1],
            [last, y1],
            [last, y2],
            [to.left, y2],
          ]),
          x: to.left - LABEL + 2,
          y: y2,
        };
      }
      // Past the columns between, through the gap below a card that is nearest.
      const first = gutter(start + 1)[0] + 12 + LANE * (lane(start + 1) % 4);
      const between = columns
        .slice(start + 1, end)
        .flat()
        .flatMap((id) => boxes.get(id) ?? []);
      const y = gapNear(between, (y1 + y2) / 2) + LANE * (lane(-1) % 3) - LANE;
      const path = rounded([
        [from.right, y1],
        [first, y1],
        [first, y],
        [last, y],
        [last, y2],
        [to.left, y2],
      ]);
      return { link, width, path, x: to.left - LABEL + 2, y: y2 };
    });
}

/** Between two cards, or below the last, as near to `y` as may be. */
function gapNear(boxes: readonly Box[], y: number): number {
  const gaps = boxes.map(({ bottom }) => bottom + 9);
  const free = gaps.filter((gap) => !boxes.some(({ top, bottom }) => gap > top && gap < bottom));
  return free.reduce((best, gap) => (Math.abs(gap - y) < Math.abs(best - y) ? gap : best), free[0] ?? y);
}

/** A path through places, its corners rounded. */
export function rounded(places: readonly Place[], radius = RADIUS): string {
  const [first, ...others] = places;
  if (first === undefined) return '';
  let path = `M${text(first)}`;
  for (const [index, place] of others.entries()) {
    const after = others[index + 1];
    const before = places[index] as Place;
    if (after === undefined) path += `L${text(place)}`;
    else path += `L${text(towards(place, before, radius))}Q${text(place)} ${text(towards(place, after, radius))}`;
  }
  return path;
}

function towards([x, y]: Place, [otherX, otherY]: Place, distance: number): Place {
  const length = Math.hypot(otherX - x, otherY - y);
  const share = length === 0 ? 0 : Math.min(distance, length / 2) / length;
  return [x + (otherX - x) * share, y + (otherY - y) * share];
}

function text([x, y]: Place): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}
