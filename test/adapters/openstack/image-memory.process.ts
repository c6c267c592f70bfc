// A host of generated content and a simulated cloud, in a process of their own. Ends when the one that began it lets go.
import { createHash } from 'node:crypto';
import { systemClock } from '../../../actors/base/clock.ts';
import { startSimulator } from '../../../adapters/simulated/openstack/mod.ts';
import { startFileHost } from './file-host.ts';

const CHUNK = Buffer.from(Array.from({ length: 1 << 16 }, (_, at) => (at * 7 + (at >> 5)) & 0xff));
const bytes = Number(process.argv[2]);

const simulator = await startSimulator({ clock: systemClock() });
const host = await startFileHost();
const url = host.serve('/generated', (request, response) => {
  const length = Number(new URL(request.url ?? '', 'http://host').searchParams.get('bytes'));
  response.writeHead(200, { 'Content-Length': length });
  let sent = 0;
  const send = (): void => {
    while (sent < length) {
      sent += CHUNK.length;
      if (!response.write(CHUNK)) {
        response.once('drain', send);
        return;
      }
    }
    response.end();
  };
  send();
});
const hash = createHash('sha256');
for (let hashed = 0; hashed < bytes; hashed += CHUNK.length) hash.update(CHUNK);
process.send?.({ cloudsYaml: simulator.cloudsYaml('test'), url, digest: hash.digest('hex') });
process.once('disconnect', () => void Promise.all([simulator.close(), host.close()]));
