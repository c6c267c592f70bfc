// A server in a process of its own: `node served.ts [folder]` tells where it is on one line, and lives until it is ended.
import { systemClock } from '../../../../actors/clock.ts';
import { startApiServer } from '../../../../adapters/kubernetes/embedded/mod.ts';

/** What the line tells, as JSON. */
export interface Served {
  readonly url: string;
  readonly caCertificate: string;
  readonly token: string;
  readonly kubeconfig: string;
}

const [folder] = process.argv.slice(2);
const server = await startApiServer({ clock: systemClock(), ...(folder === undefined ? {} : { folder }) });
const { url, caCertificate, token } = server;
const served: Served = { url, caCertificate, token, kubeconfig: server.kubeconfig() };
process.stdout.write(`${JSON.stringify(served)}\n`);
