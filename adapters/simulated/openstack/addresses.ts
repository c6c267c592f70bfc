// Addresses and prefixes as numbers: what the simulated Neutron computes with.
import { isIPv4, isIPv6 } from 'node:net';

export interface Address {
  readonly version: 4 | 6;
  readonly value: bigint;
}

export interface Prefix {
  readonly version: 4 | 6;
  readonly length: number;
  /** The network address; host bits of the input are cleared. */
  readonly first: bigint;
  readonly last: bigint;
}

const BITS = { 4: 32, 6: 128 } as const;

/** The address in `text`; undefined when there is none. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) {
    return { version: 4, value: text.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n) };
  }
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const embedded = dotted === null ? undefined : parseAddress(dotted[2] ?? '')?.value;
  const plain =
    embedded === undefined
      ? text
      : `${dotted?.[1]}${(embedded >> 16n).toString(16)}:${(embedded & 0xffffn).toString(16)}`;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const value = [...left, ...zeros, ...right].reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
  return { version: 6, value };
}

/** The shortest customary spelling, as Neutron prints it. */
export function formatAddress({ version, value }: Address): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  let best = { start: 0, length: 0 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

/** The prefix in `text`; an address alone is a prefix of full length. */
export function parsePrefix(text: string): Prefix | undefined {
  const [addressText = '', lengthText, ...more] = text.split('/');
  const address = parseAddress(addressText);
  if (address === undefined || more.length > 0) return undefined;
  const bits = BITS[address.version];
  const length = lengthText === undefined ? bits : /^\d{1,3}$/.test(lengthText) ? Number(lengthText) : bits + 1;
  if (length > bits) return undefined;
  const size = 1n << BigInt(bits - length);
  const first = (address.value / size) * size;
  return { version: address.version, length, first, last: first + size - 1n };
}

export function formatPrefix({ version, first, length }: Prefix): string {
  return `${formatAddress({ version, value: first })}/${length}`;
}

/** Whether two prefixes share an address. */
export function overlap(one: Prefix, other: Prefix): boolean {
  return one.version === other.version && one.first <= other.last && other.first <= one.last;
}
