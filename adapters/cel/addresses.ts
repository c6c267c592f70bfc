// Addresses and address ranges as values of CEL.
import { isIPv4, isIPv6 } from 'node:net';

/** The bytes of an address, 4 or 16, or undefined when the text is none. IPv4 within IPv6, and zones, are refused. */
export function addressBytes(text: string): readonly number[] | undefined {
  if (isIPv4(text)) return text.split('.').map(Number);
  if (!isIPv6(text) || text.includes('%') || text.includes('.')) return undefined;
  const [head = '', tail] = text.split('::');
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [left, right] = [words(head), words(tail ?? '')];
  const all = tail === undefined ? left : [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return all.flatMap((word) => [word >> 8, word & 0xff]);
}

/** The bytes in their shortest form. */
function written(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const words = Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0));
  const text = `:${words.map((word) => word.toString(16)).join(':')}:`;
  const runs = text.match(/(?::0)+(?=:)/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), ':0');
  if (longest.length < 4) return text.slice(1, -1);
  const at = text.indexOf(`${longest}:`);
  return `${text.slice(1, Math.max(1, at))}::${text.slice(at + longest.length + 1, -1)}`;
}

export class Ip {
  readonly bytes: readonly number[];
  constructor(bytes: readonly number[]) {
    this.bytes = bytes;
  }
  family(): bigint {
    return this.bytes.length === 4 ? 4n : 6n;
  }
  toString(): string {
    return written(this.bytes);
  }
  isUnspecified(): boolean {
    return this.bytes.every((byte) => byte === 0);
  }
  isLoopback(): boolean {
    return this.bytes.length === 4 ? this.bytes[0] === 127 : this.toString() === '::1';
  }
  isLinkLocalUnicast(): boolean {
    const [first = 0, second = 0] = this.bytes;
    return this.bytes.length === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
  }
  isMulticast(): boolean {
    const [first = 0] = this.bytes;
    return this.bytes.length === 4 ? (first & 0xf0) === 0xe0 : first === 0xff;
  }
  isLinkLocalMulticast(): boolean {
    const [first = 0, second = 0, third = 0] = this.bytes;
    return this.bytes.length === 4
      ? first === 224 && second === 0 && third === 0
      : first === 0xff && (second & 0x0f) === 2;
  }
  isGlobalUnicast(): boolean {
    const isBroadcast = this.bytes.length === 4 && this.bytes.every((byte) => byte === 255);
    return (
      !isBroadcast && !this.isUnspecified() && !this.isLoopback() && !this.isMulticast() && !this.isLinkLocalUnicast()
    );
  }
}

export class Cidr {
  readonly address: Ip;
  readonly prefixLength: number;
  constructor(address: Ip, prefixLength: number) {
    this.address = address;
    this.prefixLength = prefixLength;
  }
  toString(): string {
    return `${this.address.toString()}/${this.prefixLength}`;
  }
  masked(): Cidr {
    const bytes = this.address.bytes.map((byte, index) => {
      const bits = Math.min(8, Math.max(0, this.prefixLength - 8 * index));
      return byte & (0xff << (8 - bits)) & 0xff;
    });
    return new Cidr(new Ip(bytes), this.prefixLength);
  }
  contains(address: Ip): boolean {
    if (address.bytes.length !== this.address.bytes.length) return false;
    return new Cidr(address, this.prefixLength).masked().toString() === this.masked().toString();
  }
  containsRange(other: Cidr): boolean {
    return other.prefixLength >= this.prefixLength && this.contains(other.address);
  }
}

export function parseIp(text: string): Ip | undefined {
  const bytes = addressBytes(text);
  return bytes && new Ip(bytes);
}

export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', bits = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const ip = parseIp(address);
  if (ip === undefined || bits === '' || Number(bits) > 8 * ip.bytes.length) return undefined;
  return new Cidr(ip, Number(bits));
}
