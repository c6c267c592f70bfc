// Where nothing is downloaded.
import type { Downloads } from '../../../adapters/openstack/downloads/download-policy.ts';

export const NO_DOWNLOADS: Downloads = {
  open: async () => {
    throw new Error('nothing is downloaded here');
  },
  inTurn: (_namespace, _signal, run) => run(),
  close: async () => undefined,
};
