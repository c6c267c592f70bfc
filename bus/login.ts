// Credentials of a process for the server. Files are read again for each connection, so that they may be replaced at
// run time. If they are unreadable at that moment, the last content is used: an exception would make the client library
// give up, while an outdated login is only rejected and retried.
import { readFileSync } from 'node:fs';
import { type Authenticator, credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';
import { TerminalError } from './errors.ts';
import { publicKeyOf } from './server-users.ts';

export interface Login {
  readonly file: string;
  readonly authenticator: Authenticator;
  /** Whether the file says something else than when it was used last. */
  isReplaced(): boolean;
}

/** @throws {Error} the file cannot be read */
export function credentialsLogin(file: string): Login {
  return loginBy(file, (content) => {
    const authenticator = credsAuthenticator(content);
    authenticator('nonce'); // throws if it is no such file
    return authenticator;
  });
}

/** @throws {Error} the file cannot be read. @throws {TerminalError} it holds no seed */
export function nkeyLogin(file: string): Login {
  return loginBy(file, (content) => {
    try {
      publicKeyOf(new TextDecoder().decode(content));
    } catch {
      throw new TerminalError(`'${file}' holds no NKey seed of a user`); // what it holds is not for the log
    }
    return nkeyAuthenticator(new TextEncoder().encode(new TextDecoder().decode(content).trim()));
  });
}

function loginBy(file: string, parse: (content: Uint8Array) => Authenticator): Login {
  let used = readFileSync(file);
  let authenticator = parse(used);
  const refresh = (): void => {
    const read = readFileSync(file);
    if (read.equals(used)) return;
    // mutant: login-not-shown = -> $2
    authenticator = parse(read);
    used = read;
  };
  return {
    file,
    authenticator(nonce) {
      try {
        refresh();
      } catch {
        // It is being replaced.
      }
      return authenticator(nonce);
    },
    isReplaced() {
      try {
        const read = readFileSync(file);
        if (read.equals(used)) return false;
        parse(read);
        return true;
      } catch {
        return false;
      }
    },
  };
}
