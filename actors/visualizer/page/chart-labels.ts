// Places of the labels of a statechart: on their arrows, beside states and other labels where that can be. Pure.
import type { ChartLayout } from '../wire.ts';

export type Place = readonly [x: number, y: number];

export interface Label {
  readonly lines: readonly string[];
  readonly css: string;
  /** Points of its arrow. */
  readonly way: readonly Place[];
}

export interface PlacedLabel extends Label {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Rect = readonly [x: number, y: number, width: number, height: number];

/** Width of a character, height of a line, and room around, in pixels. */
const [CHARACTER, LINE, ROOM_X, ROOM_Y] = [6.6, 15, 14, 6] as const;
/** Least distance from a state. */
const AWAY = 3;
/** Shares of a way that are tried, from its middle outward. */
const SHARES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9] as const;

/** Gives each label a place, in the order of importance: what comes first has the choice. */
export function placed(labels: readonly Label[], { states, width }: ChartLayout): readonly PlacedLabel[] {
  const taken: Rect[] = Object.values(states).map(([x, y, w, h]) => [x - AWAY, y - AWAY, w + 2 * AWAY, h + 2 * AWAY]);
  return labels.map((label) => {
    const wide = Math.max(...label.lines.map(({ length }) => length)) * CHARACTER + ROOM_X;
    const high = label.lines.length * LINE + ROOM_Y;
    const centers = SHARES.flatMap((share): readonly Place[] => {
      const [x, y] = along(label.way, share);
      return [0, 1, -1].map((side) => [x + (side * (wide + 10)) / 2, y]);
    });
    const inside = centers.map(([x, y]): Place => [Math.min(Math.max(wide / 2 + 2, x), width - wide / 2 - 2), y]);
    const covered = ([x, y]: Place): number =>
      taken.reduce((sum, rect) => sum + shared([x - wide / 2, y - high / 2, wide, high], rect), 0);
    const best = inside.reduce((one, other) => (covered(other) < covered(one) ? other : one), inside[0] ?? [0, 0]);
    taken.push([best[0] - wide / 2, best[1] - high / 2, wide, high]);
    return { ...label, x: best[0], y: best[1], width: wide, height: high };
  });
}

/** Area that two rectangles share. */
function shared(one: Rect, other: Rect): number {
  const width = Math.min(one[0] + one[2], other[0] + other[2]) - Math.max(one[0], other[0]);
  const height = Math.min(one[1] + one[3], other[1] + other[3]) - Math.max(one[1], other[1]);
  return width <= 0 || height <= 0 ? 0 : width * height;
}

/** A point on a way, at a share of its length. */
function along(points: readonly Place[], share: number): Place {
  const lengths = points
    .slice(1)
    .map(([x, y], index) => Math.hypot(x - (points[index]?.[0] ?? x), y - (points[index]?.[1] ?? y)));
  let left = lengths.reduce((sum, length) => sum + length, 0) * share;
  for (const [index, length] of lengths.entries()) {
    const [from, to] = [points[index] as Place, points[index + 1] as Place];
    if (left <= length && length > 0) {
      const part = left / length;
      return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
    }
    left -= length;
  }
  return points[0] ?? [0, 0];
}
