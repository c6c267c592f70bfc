// Ids of the cloud, checked wherever they come from: a status that anybody may have written, a spec, a request on the bus,
// an answer of the cloud. They become parts of paths, where `..` would lead elsewhere.
//
// Invariants:
//   OS-IDS-1. No path of a call holds a segment that is empty, `.` or `..`, or that hides a separator.

/** UUIDs, with and without hyphens, and the names that some services use for ids (`default`, `m1.tiny`, `my key`). */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.-][A-Za-z0-9_.:@ -]{0,254}$/;

export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID.test(text);
}

/** Whether a path leads where its segments say (OS-IDS-1). */
export function isPlainPath(path: string): boolean {
  if (!path.startsWith('/') || /[?#\\]/.test(path)) return false;
  return path.slice(1).split('/').every(isPlainSegment);
}

function isPlainSegment(segment: string): boolean {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return false; // what is no encoding is nothing that was encoded here
  }
  // mutant: id-leads-elsewhere return -> $1
  return text !== '' && text !== '.' && text !== '..' && !/[/\\]/.test(text);
}
