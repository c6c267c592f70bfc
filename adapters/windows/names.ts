// Words that others know the kinds of the group by.

/** What a process that serves them is asked to do. */
export const ROLE = 'csi-proxy';
/** On a WindowsStorageNode: the machine is gone for good, and nothing that was on it has to be taken down. */
export const NODE_GONE = 'windows.troupe.dev/node-gone';
