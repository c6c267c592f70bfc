// Conditions before an object may be stored in another version. Types only.
import type { Data } from './webhooks.ts';

/** Objects of one kind that go with those of another, by name and namespace. */
export interface Companions {
  readonly group: string;
  /** Plural of the migrated objects, and of the objects that go with them. */
  readonly plural: string;
  readonly companions: string;
  /**
   * @param object  as it is, in whatever version
   * @param companion  undefined: there is none
   * @returns what is to be made or changed; a companion that is not needed, or is right, is `none`
   */
  wanted(object: Data, companion: Data | undefined): CompanionChange;
}

/** Required change of a companion. */
export type CompanionChange =
  | { readonly kind: 'none' }
  /** `object` is to be made, or to be written in place of what is there. */
  | { readonly kind: 'create' | 'update'; readonly object: Data };
