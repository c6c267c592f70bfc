// Hints about content that cannot be downloaded, by the messages of `download-policy.ts` and `image-upload.ts`. Pure.
import type { Hint } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { Condition } from '../status/conditions.ts';
import { anew } from '../status/messages.ts';

interface Help {
  /** Prefix of the message; it names the host of the URL, if any, in quotes. */
  readonly said: RegExp;
  readonly todo: (host: string) => string;
  /** Field of the spec that may be wrong. It is immutable. */
  readonly field?: string;
}

const DOWNLOAD = 'spec.resource.content.download';
const url = `${DOWNLOAD}.url`;

const HELP: readonly Help[] = [
  {
    said: /^the download from ('[^']*') was answered (?:401|403|407)\b/,
    todo: (host) => `let ${host} serve the file without a login, or name user and password in the URL`,
    field: url,
  },
  {
    said: /^the download from ('[^']*') was answered 4(?!08|29)\d\d\b/,
    todo: (host) => `see that ${host} has the file`,
    field: url,
  },
  {
    said: /^the download from ('[^']*') (?:was answered \d+|has stalled)/,
    todo: (host) => `see that ${host} serves the file as a whole`,
  },
  {
    said: /^the download from ('[^']*') is redirected /,
    todo: (host) => `see where ${host} redirects requests for the file`,
    field: url,
  },
  {
    said: /^the download from ('[^']*') failed: (?=.*(?:certificate|issuer|CERT_))/,
    todo: (host) =>
      `give ${host} a certificate that the system trusts; 'cacert' of the credentials is for the cloud alone`,
  },
  {
    said: /^the download from ('[^']*') failed: /,
    todo: (host) => `see that ${host} answers where Troupe runs`,
    field: url,
  },
  {
    said: /^the download is refused: ('[^']*') is /,
    todo: (host) => `let --cloud-allow name ${host}, or name a host that may be reached`,
    field: url,
  },
  { said: /^the URL of a download must be /, todo: () => 'name the file by a URL of HTTP or HTTPS', field: url },
  {
    said: /^download hash verification failed\. got: /,
    todo: () => 'compare the checksum with the one that the publisher of the file states',
    field: `${DOWNLOAD}.hash`,
  },
  {
    said: /^the downloaded content cannot be decompressed: /,
    todo: () => 'see that the file is whole, and what it is compressed with',
    field: `${DOWNLOAD}.decompress`,
  },
  { said: /^Glance takes no more of the image content/, todo: () => 'see whether the store of Glance is full' },
];

/** @returns undefined: nothing to say beyond the message */
export function downloadHint(object: KubeObject, message: string): Hint | undefined {
  if (!/^Unable to download content after \d+ attempts$/.test(message)) {
    const found = helpFor(message);
    if (found === undefined) return undefined;
    const change = found.field === undefined ? '' : `; where it is ${found.field} that is wrong, ${anew(object)}`;
    return { todo: found.todo + change };
  }
  // Why the last attempt failed is in a condition of its own.
  const why = lastFailure(object);
  const found = why === undefined ? undefined : helpFor(why);
  if (why === undefined || found === undefined)
    return { todo: `see its condition Downloading, and ${anew(object)} then` };
  return { what: why, todo: `${found.todo}, and ${anew(object)} then` };
}

function helpFor(message: string): { readonly todo: string; readonly field: string | undefined } | undefined {
  for (const { said, todo, field } of HELP) {
    const match = said.exec(message);
    if (match !== null) return { todo: todo(match[1] ?? ''), field };
  }
  return undefined;
}

function lastFailure({ status }: KubeObject): string | undefined {
  const conditions = status?.['conditions'] as readonly Condition[] | undefined;
  return conditions?.find(({ type, reason }) => type === 'Downloading' && reason === 'TransientError')?.message;
}
