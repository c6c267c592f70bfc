// needs: ironic
// What the simulated Ironic answers, asked of the real one at $IRONIC_URL with its BMCs, machines and image
// ($BMC_URL, $BMC_USERNAME, $BMC_PASSWORD, $AGENTS_URL, $IMAGE_URL, $IMAGE_SHA256).

import { systemClock } from '../../../actors/base/clock.ts';
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { OpenIronic } from '../../adapters/simulated/ironic/open.ts';
import { refusalsSuite } from '../../adapters/simulated/ironic/refusals.suite.ts';
import { sequencesSuite } from '../../adapters/simulated/ironic/sequences.suite.ts';
import { request } from './request.ts';

const SEQUENCES_AT_ONCE = 5;

function openReal(url: string, env: (name: string) => string): OpenIronic {
  const clock = systemClock();
  const agents = async (method: string, path: string, body?: Json): Promise<JsonObject> => {
    const answer = await request(env('AGENTS_URL') + path, method, body);
    return (await answer.json()) as JsonObject;
  };
  return {
    sees: 'most',
    image: { url: env('IMAGE_URL'), sha256: env('IMAGE_SHA256') },
    async ask(asked, body, version = '1.95') {
      const [method = '', path = ''] = asked.split(' ');
      const answer = await request(url + path, method, body, {
        Accept: 'application/json',
        ...(version === null ? {} : { 'X-OpenStack-Ironic-API-Version': version }),
      });
      const text = await answer.text();
      const parsed = text === '' ? undefined : (JSON.parse(text) as Json);
      return { status: answer.status, body: parsed, headers: Object.fromEntries(answer.headers) };
    },
    pause: (forMs) => clock.sleep(forMs),
    driverInfo: (number) => ({
      redfish_address: env('BMC_URL'),
      redfish_system_id: `/redfish/v1/Systems/00000000-0000-4000-8000-00000000000${number}`,
      redfish_username: env('BMC_USERNAME'),
      redfish_password: env('BMC_PASSWORD'),
    }),
    async behave(number, { inspectionError = null, agent, failingSteps = {} }) {
      const behavior = { inspection_error: inspectionError, boot: agent !== 'never', fail: failingSteps, seconds: {} };
      await agents('PUT', `/bm${number}/behaviour`, behavior);
    },
    async look(number) {
      const { running, disk } = (await agents('GET', '/'))[`bm${number}`] as JsonObject;
      const sha256 = (disk as JsonObject)['sha256'];
      return { running: String(running), sha256: sha256 === undefined ? undefined : String(sha256) };
    },
  };
}

const url = process.env['IRONIC_URL'];
if (url === undefined) {
  process.stdout.write('skipped: IRONIC_URL is not set\n');
} else {
  const env = (name: string): string => process.env[name] ?? '';
  refusalsSuite('refusals, real', async () => openReal(url, env)).run();
  sequencesSuite('sequences, real', async () => openReal(url, env), SEQUENCES_AT_ONCE).run();
}
