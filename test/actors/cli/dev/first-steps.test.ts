// The end of the banner of `troupe dev`: what a user does next.
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firstSteps } from '../../../../actors/cli/tutorial-path.ts';
import { configure } from '../../../../actors/process/adapters.ts';
import { openstackWith } from '../../../../adapters/openstack/mod.ts';
import { lightingAdapter } from '../../../../adapters/template/src/mod.ts';

const test = suite('first steps of dev');
const lighting = configure(lightingAdapter({ fetch: globalThis.fetch }), {}, {}, 'development');

test('35.A5: the tutorial is named where its kinds are served', () => {
  const [, path = ''] = /^ {2}the first steps: (\S+)$/.exec(firstSteps([lighting, openstackWith({})])) ?? [];
  assert.ok(existsSync(path), path);
});

test('35.A5: with --only-adapters the kinds of those are named, and not the tutorial of OpenStack', () => {
  assert.is(firstSteps([lighting]), "  kinds: Lamp; 'kubectl explain lamps.spec' lists the fields");
});

test.run();
