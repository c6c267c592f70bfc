// Words that others know the kinds of the group by.

/** Role of a process that serves the operations. */
export const ROLE = 'csi-proxy';
/** Annotation of a WindowsStorageNode: the machine is permanently lost, and nothing on it needs cleanup. */
export const NODE_GONE = 'windows.troupe.dev/node-gone';
