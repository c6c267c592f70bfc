// Errors about damaged compressed content.
import { TransientError } from '../../../../bus/errors.ts';

/** It may be whole when it is downloaded again. @param why  for people, in a few words: none of the content is in it */
export function damaged(why: string): TransientError {
  return new TransientError(`the downloaded content cannot be decompressed: ${why}`);
}
