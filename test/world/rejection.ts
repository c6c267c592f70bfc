// Error of a promise that must be rejected.
import * as assert from 'uvu/assert';

export async function rejection(run: Promise<unknown>): Promise<Error> {
  try {
    await run;
  } catch (error) {
    assert.instance(error, Error);
    return error as Error;
  }
  return assert.unreachable('nothing was thrown') as never;
}
