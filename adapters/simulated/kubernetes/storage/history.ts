// The recent changes of a collection, for those who watch from an earlier revision.
//
// Invariants:
//   KSIM-HISTORY-1. What is remembered is bounded in number and in bytes, whatever the size of the objects.
//   KSIM-HISTORY-2. Changes are known without a gap from `forgottenRevision` on.
import type { Stored } from './stored.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** After the change; for a deletion the last state, with the revision of the deletion. */
  readonly stored: Stored;
  readonly previous: Stored | undefined;
}

export interface HistoryLimits {
  readonly changes: number;
  /** Text that only the history keeps: versions that were replaced or deleted, in characters. */
  readonly characters: number;
}

export interface History {
  add(change: Change): void;
  /** Takes back the change that was added last. */
  undo(change: Change): void;
  /** The changes after a revision, or undefined when they are no longer all known. */
  since(revision: number): readonly Change[] | undefined;
  /** The greatest revision after which not all changes are known. */
  forgottenRevision(): number;
}

/** @param from  revision from which on all changes will be added */
export function history({ changes: maxChanges, characters: maxCharacters }: HistoryLimits, from: number): History {
  let changes: Change[] = [];
  let characters = 0;
  let forgotten = from;

  /** Forgets a quarter at once, so that forgetting costs little for each change. */
  const shrink = (): void => {
    let count = 0;
    for (const change of changes) {
      if (changes.length - count <= maxChanges * 0.75 && characters <= maxCharacters * 0.75) break;
      characters -= charactersOf(change);
      forgotten = change.revision;
      count++;
    }
    changes = changes.slice(count);
  };

  return {
    add(change) {
      changes.push(change);
      characters += charactersOf(change);
      if (changes.length > maxChanges || characters > maxCharacters) shrink(); // KSIM-HISTORY-1
    },
    undo(change) {
      if (changes.at(-1) !== change) return; // forgotten already
      changes.pop();
      characters -= charactersOf(change);
    },
    since(revision) {
      if (revision < forgotten) return undefined; // KSIM-HISTORY-2
      let low = 0;
      let high = changes.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((changes[middle]?.revision ?? 0) > revision) high = middle;
        else low = middle + 1;
      }
      return changes.slice(low);
    },
    forgottenRevision: () => forgotten,
  };
}

/** A version is kept by the collection until it is replaced; from then on only by the change that replaced it. */
function charactersOf({ type, stored, previous }: Change): number {
  return (previous?.text.length ?? 0) + (type === 'DELETED' ? stored.text.length : 0);
}
