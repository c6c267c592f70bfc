// Chaos on real processes: `npm run chaos -- [--hosts | --windows | [--real] [--hostile]] [--seeds N] [--first N] [--seconds N] [--stories FOLDER]`. See README.md.
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findSharableNatsServer } from '../world/environments.ts';
import { addressesIn } from './counterparts.ts';
import { playHostChaos } from './host-play.ts';
import { playChaos } from './play.ts';
import { playWindowsChaos } from './windows-play.ts';

const { values } = parseArgs({
  options: {
    hosts: { type: 'boolean', default: false },
    windows: { type: 'boolean', default: false },
    hostile: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '1' },
    first: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '120' },
    stories: { type: 'string', default: join(tmpdir(), 'troupe-chaos') },
  },
});
const found = await findSharableNatsServer();
if ('refusal' in found) {
  process.stderr.write(`chaos kills one of two processes: ${found.refusal}\n`);
  process.exit(2);
}
const others = [values.hosts && '--hosts', values.windows && '--windows'].filter((each) => each !== false);
if (others.length > 1 || (others.length > 0 && (values.real || values.hostile))) {
  process.stderr.write(`${others[0]} goes with neither --real nor --hostile, nor with another landscape\n`);
  process.exit(2);
}
const addresses = values.real ? addressesIn(process.env) : {};
if (values.real && !addresses.kubeconfig) process.stdout.write('KUBECONFIG is not set: the API server is embedded\n');
if (values.real && !addresses.cloudsFile)
  process.stdout.write('OS_CLIENT_CONFIG_FILE is not set: the cloud is simulated\n');
await mkdir(values.stories, { recursive: true });
let violated = 0;
for (let seed = Number(values.first); seed < Number(values.first) + Number(values.seeds); seed++) {
  const options = { seed, seconds: Number(values.seconds), program: found.program };
  const { violations, story, figures } = values.hosts
    ? await playHostChaos(options)
    : values.windows
      ? await playWindowsChaos(options)
      : await playChaos({ ...options, addresses, neighbour: values.hostile ? 'hostile' : 'none' });
  const path = join(values.stories, `seed-${seed}.log`);
  await writeFile(path, `${story.join('\n')}\n`);
  const said = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`seed ${seed}: ${violations.length} violations; ${said.join(', ')}; ${path}\n`);
  for (const violation of violations) process.stdout.write(`  ${violation}\n`);
  if (violations.length > 0) violated++;
}
process.exitCode = violated === 0 ? 0 : 1;
