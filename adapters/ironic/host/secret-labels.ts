// Label of Secrets that objects of this API group use, for controllers that watch only such Secrets.

export const SECRET_LABELS = { 'environment.metal3.io': 'baremetal' } as const;
