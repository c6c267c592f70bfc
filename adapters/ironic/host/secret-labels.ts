// What marks a Secret that somebody of this API group uses, for controllers that watch no others.

export const SECRET_LABELS = { 'environment.metal3.io': 'baremetal' } as const;
