// The bus, as far as a user that may only subscribe can see it.

import type { Clock } from '../../../bus/mod.ts';
import { type BusCheck, checkNats, Seen, TroupeError } from '../../../bus/mod.ts';
import type { Config } from '../../base/config.ts';
import { natsOptions } from '../../process/run.ts';
import { busUrlOf, OBSERVER } from '../bus-reader.ts';
import { Area, type Check, unknown, well, wrong } from './checks.ts';
import { clockCheck } from './clocks.ts';
import { examinePods } from './pods.ts';

const BEGIN =
  "begin a process of Troupe, or see that TROUPE_NATS_PREFIX and the account are its own: 'troupe run' makes it";

/** @param folder  of `troupe dev`, whose bus is looked at where none is named */
export async function examineBus(config: Config, clock: Clock, folder: string): Promise<readonly Check[]> {
  let url: string;
  try {
    url = config.natsUrl ?? (await busUrlOf(folder));
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    return [unknown(Area.Bus, 'NATS', error.message, 'name it with --nats-url or NATS_URL')];
  }
  try {
    const options = natsOptions(config, OBSERVER, url, clock, () => undefined);
    return checksOf(await checkNats({ ...options, user: OBSERVER }), config);
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    const todo = 'see that NATS_URL leads to a nats-server, that it runs, and that its login is the one meant';
    return [wrong(Area.Bus, 'NATS', error.message, todo)];
  }
}

export function checksOf(
  { place, version, isUsable, isSharable, jetStream, streams, time, held = [], refused }: BusCheck,
  { keptEvents }: Pick<Config, 'keptEvents'>,
): readonly Check[] {
  const server = `nats-server at ${place}`;
  const checks: Check[] = [];
  const add = (check: Check): void => void checks.push(check);
  if (!isUsable)
    add(wrong(Area.Bus, server, `version ${version} is too old`, 'use 2.9 or later, 2.11 for several pods'));
  else if (isSharable) add(well(Area.Bus, server, `answers, version ${version}`));
  else add(well(Area.Bus, server, `answers, version ${version}: good for one pod, 2.11 or later for several`));
  if (jetStream === Seen.Absent) {
    const todo = 'start nats-server with --jetstream, or enable it for the account';
    add(wrong(Area.Bus, server, 'there is no JetStream for this account', todo));
  } else if (jetStream === Seen.There) {
    for (const { name, holds, seen } of streams) {
      if (seen === Seen.There) add(well(Area.Bus, `stream ${name}`, `is there, for ${holds}`));
      if (seen === Seen.Absent && (holds !== 'events' || keptEvents !== 'none'))
        add(wrong(Area.Bus, `stream ${name}`, `is not there, so there are no ${holds}`, BEGIN));
    }
  }
  // Only the processes of troupe have permission for the mailboxes.
  const hidden = refused.filter(({ subject }) =>
    streams.every(({ name, holds }) => holds !== 'mail' || !subject.includes(name)),
  );
  const [first] = hidden;
  if (first !== undefined || jetStream === Seen.Untold) {
    const what =
      first === undefined
        ? 'there is no answer whether there is JetStream'
        : `does not let us ${first.operation} '${first.subject}'`;
    add(
      unknown(
        Area.Bus,
        server,
        what,
        "log in as the user 'observer' of 'troupe bus credentials', or as one that may do more",
      ),
    );
  }
  checks.push(...examinePods(held));
  if (time !== undefined) add(clockCheck(server, { ...time, resolutionMs: 0 }));
  return checks;
}
