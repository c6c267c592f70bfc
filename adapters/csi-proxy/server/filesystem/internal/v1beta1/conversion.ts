// Hand-written conversions between filesystem v1beta1 and the internal types, and the ignored fields.

export const ignoredFields = {
  PathExistsRequest: { context: 'one list of directories serves both contexts' },
  MkdirRequest: { context: 'one list of directories serves both contexts' },
  RmdirRequest: { context: 'one list of directories serves both contexts' },
  PathExistsResponse: { error: 'what goes wrong is the status of the call' },
  MkdirResponse: { error: 'what goes wrong is the status of the call' },
  RmdirResponse: { error: 'what goes wrong is the status of the call' },
  LinkPathResponse: { error: 'what goes wrong is the status of the call' },
  IsMountPointResponse: { error: 'what goes wrong is the status of the call' },
};
