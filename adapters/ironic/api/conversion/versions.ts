// The versions of the API, as `apiVersion` says them.

import { GROUP } from '../types.ts';

export const V1ALPHA1 = `${GROUP}/v1alpha1`;
export const V1BETA1 = `${GROUP}/v1beta1`;

export const BARE_METAL_HOST = 'BareMetalHost';
export const HOST_CLAIM = 'HostClaim';

/** The group that an `apiVersion` is of; '' for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
