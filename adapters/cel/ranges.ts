// Ranges of sizes and costs, which do not overflow.

/** From the least to the most; what is greater than the greatest stays there. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const GREATEST = 2 ** 64;

export const exactly = (value: number): Range => ({ min: value, max: value });
export const clamp = (value: number): number => Math.min(value, GREATEST);
export const add = (one: Range, other: Range): Range => ({
  min: clamp(one.min + other.min),
  max: clamp(one.max + other.max),
});
export const times = (one: Range, other: Range): Range => ({
  min: clamp(one.min * other.min),
  max: clamp(one.max * other.max),
});
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: clamp(Math.ceil(min * factor)),
  max: clamp(Math.ceil(max * factor)),
});
export const union = (one: Range, other: Range): Range => ({
  min: Math.min(one.min, other.min),
  max: Math.max(one.max, other.max),
});
export const sum = (ranges: readonly Range[]): Range => ranges.reduce(add, exactly(0));

export const UNKNOWN: Range = { min: 0, max: GREATEST };
export const NOTHING = exactly(0);
export const ONE = exactly(1);
