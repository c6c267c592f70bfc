// The rules of the protocol switched off one by one (architecture, section 4.1): the text of the source that keeps each,
// and what stands there without it. A text must be there exactly once, or the list is out of date.

export interface Mutation {
  readonly name: string;
  /** What is left out, in words. */
  readonly without: string;
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const MUTATIONS: readonly Mutation[] = [];
