// Operations of old versions, which name a disk by its number as text.

/** The same, by decimal text. */
export function byText<Value>(byNumber: ReadonlyMap<number, Value>): Map<string, Value> {
  return new Map([...byNumber].map(([number, value]) => [String(number), value]));
}
