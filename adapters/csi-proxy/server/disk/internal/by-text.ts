// What the old versions have by the text of a disk's number.

/** The same, by decimal text. */
export function byText<Value>(byNumber: ReadonlyMap<number, Value>): Map<string, Value> {
  return new Map([...byNumber].map(([number, value]) => [String(number), value]));
}
