// Downloads: which hosts are reached, what is told of a URL, and what counts as a whole file.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { type EgressPolicyOptions, egressPolicyOf } from '../../../../adapters/http/egress-policy.ts';
import { type Downloads, downloads } from '../../../../adapters/openstack/downloads/download-policy.ts';
import { type FileHost, redirection, startFileHost, truncated } from '../file-host.ts';

const test = suite('downloads');

const CONTENT = Buffer.from('what is downloaded'.repeat(10_000));
const NEVER = new AbortController().signal;
const NOT_REACHED =
  /^the download is refused: '[^']+' is .*, which is not allowed for downloads; the operator of Troupe can allow it with --cloud-allow$/;

async function withHost(
  reach: Partial<EgressPolicyOptions>,
  run: (files: Downloads, host: FileHost) => Promise<void>,
): Promise<void> {
  const host = await startFileHost();
  const files = downloads({
    clock: systemClock(),
    version: '1.2.3',
    reach: egressPolicyOf({ allow: [], deny: [], ...reach }),
  });
  try {
    await run(files, host);
  } finally {
    await files.close();
    await host.close();
  }
}

async function contentOf(files: Downloads, url: string): Promise<Buffer> {
  const { chunks } = await files.open(url, NEVER);
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** What a download fails with: its code and its message. */
async function failure(files: Downloads, url: string): Promise<readonly [string, string]> {
  try {
    await contentOf(files, url);
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return [code, message];
  }
  return ['none', 'nothing failed'];
}

test('a file is read as a whole, with its length where the host says it', () =>
  withHost({ isLoopbackReached: true }, async (files, host) => {
    const url = host.file('/file', CONTENT);
    assert.is((await files.open(url, NEVER)).totalBytes, CONTENT.length);
    assert.equal(await contentOf(files, url), CONTENT);
    const chunked = host.serve('/chunked', (_, response) => response.end(CONTENT));
    host.serve('/open', (_, response) => {
      response.write(CONTENT);
      response.end();
    });
    assert.is((await files.open(chunked.replace('chunked', 'open'), NEVER)).totalBytes, undefined);
    const [headers] = host.requests['/file'] ?? [];
    assert.equal([headers?.['user-agent'], headers?.['accept-encoding']], ['troupe/1.2.3', 'identity']);
  }));

test('33.C6: the hosts that clouds are not reached at are none to download from, however they are named', () =>
  withHost({ deny: ['denied.example'] }, async (files, host) => {
    const port = new URL(host.file('/file', CONTENT)).port;
    for (const name of [
      '127.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
      '169.254.169.254',
      'x.svc',
      'denied.example',
    ]) {
      const [code, message] = await failure(files, `http://${name}:${port}/file`);
      assert.is(code, 'transient', message);
      assert.match(message, NOT_REACHED);
    }
    assert.equal(host.requests, {});
  }));

test('a redirection leads nowhere that a URL may not', () =>
  withHost({ allow: ['127.0.0.1'] }, async (files, host) => {
    for (const [location, said] of [
      ['http://169.254.169.254/latest/meta-data', NOT_REACHED],
      ['http://kubernetes.default/api', NOT_REACHED],
      ['file:///etc/passwd', /is redirected to what is no URL of HTTP or HTTPS$/],
      ['http://[', /is redirected to what is no URL of HTTP or HTTPS$/],
    ] as const) {
      const [code, message] = await failure(files, host.serve('/away', redirection(location)));
      assert.equal([code, said.test(message)], ['transient', true], `${location}: ${message}`);
    }
    host.file('/there', CONTENT);
    for (const status of [301, 302, 303, 307, 308])
      assert.equal(await contentOf(files, host.serve('/here', redirection('/there', status))), CONTENT);
  }));

test('what is no whole file fails, and nothing of a URL but its host is told (OS-DOWNLOAD-POLICY-2)', () =>
  withHost({ isLoopbackReached: true }, async (files, host) => {
    const secret = (url: string): string => `${url.replace('http://', 'http://user-1x:pass-2x@')}?signature=sig-3x`;
    for (const [url, said] of [
      [host.file('/path-4x', CONTENT).replace('4x', '4x-not'), "the download from '127.0.0.1' was answered 404"],
      [
        host.serve('/path-4x-500', (_, response) => response.writeHead(500).end()),
        "the download from '127.0.0.1' was answered 500",
      ],
      [
        host.serve('/path-4x-204', (_, response) => response.writeHead(204).end()),
        "the download from '127.0.0.1' was answered 204",
      ],
      [
        host.serve('/path-4x-302', (_, response) => response.writeHead(302).end()),
        "the download from '127.0.0.1' was answered 302",
      ],
      [host.serve('/path-4x-half', truncated(CONTENT)), "the download from '127.0.0.1' failed: "],
      [host.serve('/path-4x-gone', (_, response) => response.destroy()), "the download from '127.0.0.1' failed: "],
      ['http://no-such-host.invalid/path-4x', "the download from 'no-such-host.invalid' failed: "],
    ] as const) {
      const [code, message] = await failure(files, secret(url));
      assert.equal([code, message.slice(0, said.length)], ['transient', said], message);
      assert.not.match(message, /-\dx/);
    }
    const [headers] = host.requests['/path-4x-500'] ?? [];
    assert.is(headers?.authorization, `Basic ${Buffer.from('user-1x:pass-2x').toString('base64')}`);
    for (const url of ['ftp://127.0.0.1/x', 'nothing', 'file:///etc/passwd', '/x', 'http://%zz@127.0.0.1/'])
      assert.is((await failure(files, url))[0], 'terminal', url);
  }));

test('what nobody takes is not read (OS-DOWNLOAD-POLICY-4)', () =>
  withHost({ isLoopbackReached: true }, async (files, host) => {
    let written = 0;
    const url = host.serve('/endless', (_, response) => {
      const chunk = Buffer.alloc(1 << 16);
      const write = (): void => {
        while (!response.destroyed && written < 1 << 30) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', write);
            return;
          }
        }
      };
      write();
    });
    const { chunks } = await files.open(url, NEVER);
    for await (const chunk of chunks) {
      assert.ok(chunk.length > 0);
      await systemClock().sleep(300);
      break;
    }
    assert.ok(written < 64 << 20, `${written} bytes`);
  }));

test.run();
