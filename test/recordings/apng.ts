// Animated PNG from screenshots: one palette for all pictures, and of each picture only what has changed since the one before.
// https://www.w3.org/TR/png-3/
//
// What it does not do: read pictures that are interlaced, have a palette, or have not 8 bits for each channel.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel. */
  readonly rgb: Uint8Array;
}

export interface Frame {
  readonly pixels: Pixels;
  readonly delayMs: number;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The last color of the palette stands for what has not changed. */
const CLEAR = 255;

/** @throws {Error} it is no such PNG */
export function decodePng(file: Buffer): Pixels {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('it is no PNG');
  let [width, height, channels] = [0, 0, 0];
  const data: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const body = file.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      channels = { 2: 3, 6: 4 }[body[9] ?? 0] ?? 0;
      if (channels === 0 || body[8] !== 8 || body[12] !== 0) throw new Error('it is a PNG of another kind');
    }
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  return { width, height, rgb: unfiltered(inflateSync(Buffer.concat(data)), width, height, channels) };
}

function unfiltered(raw: Buffer, width: number, height: number, channels: number): Uint8Array {
  const stride = width * channels;
  let before = new Uint8Array(stride);
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0;
    const line = new Uint8Array(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let i = 0; i < stride; i++) {
      const left = i >= channels ? (line[i - channels] ?? 0) : 0;
      const up = before[i] ?? 0;
      const corner = i >= channels ? (before[i - channels] ?? 0) : 0;
      const guess =
        filter === 1
          ? left
          : filter === 2
            ? up
            : filter === 3
              ? (left + up) >> 1
              : filter === 4
                ? paeth(left, up, corner)
                : 0;
      line[i] = (line[i] ?? 0) + guess;
    }
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) rgb[(y * width + x) * 3 + c] = line[x * channels + c] ?? 0;
    }
    before = line;
  }
  return rgb;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Pictures of one size that follow each other for ever. */
export function encodeApng(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) throw new Error('there is no picture');
  const { width, height } = first.pixels;
  const { colors, indexOf } = paletteOf(frames.map(({ pixels }) => pixels));
  const chunks: Buffer[] = [];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const bodies: Buffer[] = [];
  let sequence = 0;
  let shown = new Uint8Array(width * height).fill(CLEAR);
  let count = 0;
  for (const { pixels, delayMs } of merged(frames)) {
    const indexed = indexesOf(pixels, indexOf);
    const box = count === 0 ? { x: 0, y: 0, width, height } : changedBox(shown, indexed, width, height);
    const control = Buffer.alloc(26);
    for (const [index, value] of [sequence++, box.width, box.height, box.x, box.y].entries())
      control.writeUInt32BE(value, index * 4);
    control.writeUInt16BE(Math.min(65_535, Math.round(delayMs)), 20);
    control.writeUInt16BE(1_000, 22);
    // Nothing is cleared afterwards; what is transparent leaves what was there.
    control.set([0, 1], 24);
    bodies.push(chunk('fcTL', control));
    const lines = deflateSync(linesOf(shown, indexed, width, box), { level: 9 });
    if (count === 0) bodies.push(chunk('IDAT', lines));
    else {
      const numbered = Buffer.alloc(4);
      numbered.writeUInt32BE(sequence++, 0);
      bodies.push(chunk('fdAT', Buffer.concat([numbered, lines])));
    }
    shown = indexed;
    count++;
  }
  const animation = Buffer.alloc(8);
  animation.writeUInt32BE(count, 0);
  chunks.push(SIGNATURE, chunk('IHDR', header), chunk('acTL', animation), chunk('PLTE', colors));
  chunks.push(chunk('tRNS', Buffer.from([...new Uint8Array(CLEAR).fill(255), 0])));
  return Buffer.concat([...chunks, ...bodies, chunk('IEND', Buffer.alloc(0))]);
}

/** A picture that is the same as the one before is that one, for longer. */
function merged(frames: readonly Frame[]): readonly Frame[] {
  const found: Frame[] = [];
  for (const frame of frames) {
    const last = found.at(-1);
    if (last !== undefined && Buffer.compare(last.pixels.rgb, frame.pixels.rgb) === 0)
      found[found.length - 1] = { ...last, delayMs: last.delayMs + frame.delayMs };
    else found.push(frame);
  }
  return found;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function changedBox(before: Uint8Array, now: Uint8Array, width: number, height: number): Box {
  let [left, right, top, bottom] = [width, 0, height, 0];
  for (let index = 0; index < now.length; index++) {
    if (before[index] === now[index]) continue;
    const [x, y] = [index % width, Math.floor(index / width)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  if (right < left) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

function linesOf(before: Uint8Array, now: Uint8Array, width: number, box: Box): Buffer {
  const lines = Buffer.alloc(box.height * (box.width + 1));
  for (let y = 0; y < box.height; y++) {
    for (let x = 0; x < box.width; x++) {
      const at = (box.y + y) * width + box.x + x;
      const index = now[at] ?? 0;
      lines[y * (box.width + 1) + 1 + x] = index === before[at] ? CLEAR : index;
    }
  }
  return lines;
}

/** The commonest colors; any other is the nearest of them. */
function paletteOf(all: readonly Pixels[]): { readonly colors: Buffer; readonly indexOf: (color: number) => number } {
  const counts = new Map<number, number>();
  for (const { rgb } of all) {
    for (let at = 0; at < rgb.length; at += 3) {
      const color = colorAt(rgb, at);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
  }
  // Of colors that are nearly the same, the commonest.
  const bins = new Map<number, readonly [color: number, count: number]>();
  for (const [color, count] of counts) {
    const bin = ((color >> 19) << 10) | (((color >> 11) & 31) << 5) | ((color >> 3) & 31);
    const known = bins.get(bin);
    if (known === undefined || known[1] < count) bins.set(bin, [color, count]);
  }
  const chosen = [...bins.values()]
    .sort((one, other) => other[1] - one[1])
    .slice(0, CLEAR)
    .map(([color]) => color);
  const colors = Buffer.alloc(256 * 3);
  for (const [index, color] of chosen.entries()) colors.set([color >> 16, (color >> 8) & 255, color & 255], index * 3);
  const known = new Map(chosen.map((color, index) => [color, index]));
  return {
    colors,
    indexOf(color) {
      const index = known.get(color) ?? nearest(chosen, color);
      known.set(color, index);
      return index;
    },
  };
}

function nearest(chosen: readonly number[], color: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, each] of chosen.entries()) {
    const far =
      ((each >> 16) - (color >> 16)) ** 2 +
      (((each >> 8) & 255) - ((color >> 8) & 255)) ** 2 +
      ((each & 255) - (color & 255)) ** 2;
    if (far < least) [best, least] = [index, far];
  }
  return best;
}

function indexesOf({ rgb }: Pixels, indexOf: (color: number) => number): Uint8Array<ArrayBuffer> {
  const found = new Uint8Array(rgb.length / 3);
  for (let at = 0; at < found.length; at++) found[at] = indexOf(colorAt(rgb, at * 3));
  return found;
}

function colorAt(rgb: Uint8Array, at: number): number {
  return ((rgb[at] ?? 0) << 16) | ((rgb[at + 1] ?? 0) << 8) | (rgb[at + 2] ?? 0);
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(body.length, 0);
  whole.set(named, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}
