// Chaos on real processes, from the command line; see README.md.
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuse, scriptOptions, wholeNumber } from '../../deploy/script-options.ts';
import { findSharableNatsServer } from '../world/environments.ts';
import { play } from './engine.ts';
import { addressesIn, hosts, resources, windows } from './models/mod.ts';

const STORIES = join(tmpdir(), 'troupe-chaos');
const USAGE = `Usage: npm run chaos -- [--hosts | --windows | [--real] [--hostile]] [options]

Runs real processes that are killed, frozen and cut off while users change objects, and judges the outcome.

  --hosts            bare-metal hosts on a simulated Ironic, in place of resources of a cloud
  --windows          Windows storage, in place of resources of a cloud
  --real             on the API server of KUBECONFIG and the cloud of OS_CLIENT_CONFIG_FILE and OS_CLOUD
  --hostile          beside a hostile tenant
  --seed N           first seed (default 1)
  --seeds N          number of runs (default 1)
  --seconds N        length of a run if all settle at once, in seconds (default 120)
  --stories FOLDER   where the story of each run is written (default ${STORIES})
  --help             this text

Exit status: 0 no violation, 1 a violation, 2 chaos could not start.
`;
const { values } = scriptOptions(USAGE, {
  options: {
    hosts: { type: 'boolean', default: false },
    windows: { type: 'boolean', default: false },
    hostile: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '120' },
    stories: { type: 'string', default: STORIES },
  },
});
const numbers = (['seed', 'seeds', 'seconds'] as const).map((name) => wholeNumber(name, values[name]));
const [first = 1, count = 1, seconds = 0] = numbers;
const alone = (['hosts', 'windows'] as const).filter((name) => values[name]);
if (alone.length > 1 || (alone.length > 0 && (values.real || values.hostile)))
  refuse(`--${alone[0]} goes with neither --real nor --hostile, nor with another landscape`);
const found = await findSharableNatsServer();
if ('refusal' in found) refuse(`chaos kills one of two processes: ${found.refusal}`);
const addresses = values.real ? addressesIn(process.env) : {};
if (values.real && !addresses.kubeconfig) process.stdout.write('KUBECONFIG is not set: the API server is embedded\n');
if (values.real && !addresses.cloudsFile)
  process.stdout.write('OS_CLIENT_CONFIG_FILE is not set: the cloud is simulated\n');
const neighbor = values.hostile ? 'hostile' : 'none';
const model = values.hosts ? hosts : values.windows ? windows : resources({ addresses, neighbor });
await mkdir(values.stories, { recursive: true });
let violated = 0;
for (let seed = first; seed < first + count; seed++) {
  const { violations, story, figures } = await play(model, { seed, seconds, program: found.program });
  const path = join(values.stories, `${model.name}-${seed}.log`);
  await writeFile(path, `${story.join('\n')}\n`);
  const said = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`seed ${seed}: ${violations.length} violations; ${said.join(', ')}; ${path}\n`);
  for (const violation of violations) process.stdout.write(`  ${violation}\n`);
  if (violations.length > 0) violated++;
}
process.exitCode = violated === 0 ? 0 : 1;
