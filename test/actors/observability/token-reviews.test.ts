// The cluster's word on who may read the figures, and how seldom it is asked.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authorizeByTokenReview } from '../../../actors/observability/token-reviews.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import { ManualClock } from '../../bus/manual-clock.ts';

const test = suite('reviews of tokens');
const PEER = '10.0.0.1';

interface Scene {
  readonly clock: ManualClock;
  /** Tokens that were reviewed. */
  readonly reviewed: string[];
  readonly authorize: ReturnType<typeof authorizeByTokenReview>;
}

/** A cluster that knows `reader`, who may read the figures, and `stranger`, who may not. */
function scene(audience?: string): Scene {
  const clock = new ManualClock();
  const reviewed: string[] = [];
  const client = {
    async call({ path, body }: { readonly path: string; readonly body?: JsonObject }) {
      await clock.sleep(10);
      const spec = body?.['spec'] as JsonObject;
      if (path.endsWith('/subjectaccessreviews')) return answered({ allowed: spec['user'] === 'reader' });
      const token = String(spec['token']);
      reviewed.push(token);
      const [username = '', of] = token.split('@');
      const audiences = (spec['audiences'] as readonly string[] | undefined)?.filter((each) => each === of);
      const authenticated = ['reader', 'stranger'].includes(username);
      return answered({ authenticated, ...(authenticated && { user: { username } }), ...(audiences && { audiences }) });
    },
  };
  return { clock, reviewed, authorize: authorizeByTokenReview({ client: client as never, clock, audience }) };
}

const answered = (status: JsonObject) => ({ body: { status }, serverTime: 0 });

async function verdicts({ clock }: Scene, asked: readonly Promise<string>[]): Promise<readonly string[]> {
  const all = Promise.all(asked);
  await clock.advance(100);
  return all;
}

test('a verdict is asked for once a minute, however many want it (TOKEN-REVIEWS-1)', async () => {
  const all = scene();
  const { clock, reviewed, authorize } = all;
  const many = Array.from({ length: 20 }, () => authorize('reader', PEER));
  assert.equal(new Set(await verdicts(all, many)), new Set(['allowed']));
  assert.equal(await verdicts(all, [authorize('reader', PEER), authorize('stranger', PEER)]), ['allowed', 'forbidden']);
  assert.equal(reviewed, ['reader', 'stranger']);
  await clock.advance(60_000);
  assert.equal(await verdicts(all, [authorize('reader', PEER)]), ['allowed']);
  assert.equal(reviewed, ['reader', 'stranger', 'reader']);
});

test('no token, and one that is none, cost no review', async () => {
  const all = scene();
  assert.equal(await verdicts(all, [all.authorize('', PEER), all.authorize('x'.repeat(100_000), PEER)]), [
    'unknown',
    'unknown',
  ]);
  assert.equal(all.reviewed, []);
});

test('who tries many tokens costs few reviews, and keeps nobody else from reading (TOKEN-REVIEWS-2)', async () => {
  const all = scene();
  const { clock, reviewed, authorize } = all;
  assert.equal(await verdicts(all, [authorize('reader', PEER)]), ['allowed']);
  const reported = new Map<string, number>();
  for (let second = 0; second < 30; second += 1) {
    const flood = Array.from({ length: 200 }, (_, index) => authorize(`guess-${second}-${index}`, '10.9.9.9'));
    for (const verdict of await verdicts(all, flood)) reported.set(verdict, (reported.get(verdict) ?? 0) + 1);
    await clock.advance(900);
  }
  assert.ok(reviewed.length < 40, `${reviewed.length} reviews`);
  assert.is(reported.get('allowed'), undefined);
  assert.ok((reported.get('busy') ?? 0) > 5_900);
  const before = reviewed.length;
  assert.equal(await verdicts(all, [authorize('reader', PEER)]), ['allowed']);
  assert.is(reviewed.length, before, 'the verdict is still kept');
  assert.equal(
    await verdicts(all, [authorize('stranger', '10.0.0.2')]),
    ['forbidden'],
    'another peer has its own share',
  );
  assert.equal(await verdicts(all, [authorize('guess-0-0', '10.9.9.9')]), ['unknown'], 'so has an unknown token');
});

test('all peers together cost no more than the API server can bear (TOKEN-REVIEWS-2)', async () => {
  const all = scene();
  const flood = Array.from({ length: 500 }, (_, index) => all.authorize(`guess-${index}`, `10.1.${index}.1`));
  await verdicts(all, flood);
  assert.ok(all.reviewed.length <= 50, `${all.reviewed.length} reviews`);
});

test('a token for another audience is unknown (TOKEN-REVIEWS-3)', async () => {
  const all = scene('troupe-metrics');
  const { authorize } = all;
  const asked = ['reader', 'reader@other', 'reader@troupe-metrics'].map((token) => authorize(token, PEER));
  assert.equal(await verdicts(all, asked), ['unknown', 'unknown', 'allowed']);
});

test.run();
