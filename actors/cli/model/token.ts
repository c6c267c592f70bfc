// `troupe model token`: a token for `troupe model serve --auth token`, which the public client accepts, too.
import { issueToken } from '../../../adapters/ocm/gateway/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { systemClock } from '../../base/clock.ts';
import { parsed } from '../command-line.ts';
import { USAGES } from './usage.ts';

const HOUR_S = 3_600;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parsed(USAGES.token, args);
  const hours = Number(values.hours);
  if (!(hours >= 0 && hours <= 1_000_000))
    throw new TerminalError(`--hours is a number of hours, or 0, not '${values.hours}'`);
  const validForS = Math.round(hours * HOUR_S);
  process.stdout.write(`${issueToken({ name: values.name, issuedAt: systemClock().now(), validForS })}\n`);
  return 0;
}
