// What the hand-written server of a group is made with.
import type { Clock } from '../../../bus/mod.ts';

export interface GroupDeps {
  readonly clock: Clock;
}
