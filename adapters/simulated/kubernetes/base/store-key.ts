// The name of a collection in the store.

/** Stored under a group and a plural; the core group's name is empty. */
export const storeKeyOf = (group: string, plural: string): string => `${group}/${plural}`;
