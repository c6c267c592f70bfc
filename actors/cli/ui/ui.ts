// `troupe ui`: opens the page of the running `troupe dev` in the browser.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ConfiguredAdapter } from '../../../adapters/api/adapter.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { addressKey, type Clock } from '../../../bus/mod.ts';
import { USER_AGENT } from '../../base/version.ts';
import { labelOf } from '../../diagnosis/findings.ts';
import { registryOf } from '../../effects/operations-service.ts';
import { absence, objectNamed } from '../cluster.ts';
import { isShown, runningUrl } from './running.ts';

export interface UiDeps {
  adapters: readonly ConfiguredAdapter[];
  clock: Clock;
  /** `<kind>/<name>`, or the two apart; none: the page as it begins. */
  names: readonly string[];
  /** That of the kubeconfig's context unless given. */
  namespace: string | undefined;
  /** Directory of dev's data. */
  folder: string;
  /** That of dev itself unless given. */
  kubeconfig: string | undefined;
  /** Shows people an address; undefined: it is printed, and nothing else. */
  open: ((url: string) => void) | undefined;
  out: NodeJS.WritableStream;
  err: NodeJS.WritableStream;
}

/** The part of the page's address that names an object. */
export function objectFragment(key: string): string {
  return `#object=${encodeURIComponent(key)}`;
}

/** @returns 1: there is no such object @throws {TerminalError} nothing runs, or what is asked makes no sense */
export async function ui({
  adapters,
  clock,
  names,
  namespace,
  folder,
  kubeconfig = join(folder, 'kubeconfig'),
  open,
  out,
  err,
}: UiDeps): Promise<number> {
  const known = registryOf(adapters);
  const asked = names.length === 0 ? undefined : objectNamed('ui', { resources: known.resources, adapters }, names);
  const url = await runningUrl(folder);
  if (asked !== undefined) {
    const isClusterScoped = known.resource(asked)?.scope === 'Cluster';
    const place = isClusterScoped ? '' : (namespace ?? (await contextNamespace(kubeconfig, clock)));
    const key = addressKey({ ...asked, namespace: place });
    if ((await isShown(url, key)) === false) {
      const label = labelOf({ kind: known.resource(asked)?.kind ?? asked.plural, name: asked.name });
      err.write(`troupe: ${absence(label, place)}; nothing is opened\n`);
      return 1;
    }
    url.hash = objectFragment(key);
  }
  out.write(`${url}\n`);
  open?.(`${url}`);
  return 0;
}

/**
 * Opens an address in the browser, if there is one. No shell reads it.
 *
 * @param url  of http or https
 */
export function openInBrowser(url: string, platform: NodeJS.Platform): void {
  const [program, ...args] = browserOf(platform);
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined); // there is none: the address is printed
  child.unref();
}

function browserOf(platform: NodeJS.Platform): readonly [program: string, ...args: string[]] {
  if (platform === 'darwin') return ['open'];
  // `start` is a word of cmd.exe, which reads `&` in addresses as its own.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

async function contextNamespace(kubeconfig: string, clock: Clock): Promise<string> {
  const client = kubeClient({ clock, kubeconfig, userAgent: USER_AGENT });
  try {
    return client.namespace;
  } finally {
    await client.close();
  }
}
