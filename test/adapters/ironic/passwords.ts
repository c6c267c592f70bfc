// Passwords of BMCs that nothing else has, and where they can be read.
import { randomBytes } from 'node:crypto';

/** Hexadecimal digits that a password begins with. */
const CORE_LENGTH = 24;

/** With characters that URLs, JSON and base64 each spell in their own way. */
export function newPassword(): string {
  return `${randomBytes(CORE_LENGTH / 2).toString('hex')}/"&+ %`;
}

/** What of a password is found again however it is spelt: in hexadecimal digits, or base64 wherever it begins in a text. */
export function tracesOf(password: string): readonly string[] {
  const core = Buffer.from(password.slice(0, CORE_LENGTH));
  const shifted = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), core]).toString('base64');
    // The characters at both ends hold bits of what is beside it.
    return text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + core.length) * 8) / 6));
  });
  return [core.toString(), ...shifted];
}
