// An image that Glance calls `saving`: while somebody brings its content that passes, and after that it is told what to do.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { imageDataStep } from '../../../adapters/openstack/images/image-data.ts';

const test = suite('images that were left');

const BROUGHT = '2026-01-01T00:00:00Z';
const HOUR_MS = 3_600_000;

/** What is waited for so long after something of it came. */
async function waitedFor(status: string, sinceMs: number): Promise<readonly string[] | undefined> {
  const conditions = [{ type: 'Downloading', status: 'True', lastTransitionTime: BROUGHT }];
  const request = {
    object: { status: { conditions, downloadAttempts: 1 }, metadata: {} },
    observation: { attributes: { status } },
    deadlineAt: Date.parse(BROUGHT) + sinceMs,
  };
  return (await imageDataStep({ request } as unknown as Parameters<typeof imageDataStep>[0])).waiting;
}

test('33.F6: an image whose uploader is gone says so after an hour without progress, and what to do', async () => {
  const fetching = 'Glance is downloading image content';
  assert.equal(await waitedFor('saving', HOUR_MS / 2), [fetching]);
  assert.equal(await waitedFor('importing', 9 * HOUR_MS), [fetching]);
  const [said = ''] = (await waitedFor('saving', HOUR_MS + 1)) ?? [];
  assert.match(
    said,
    /^Glance is downloading image content; no progress for an hour.*delete the Image and create it again$/,
  );
});

test.run();
