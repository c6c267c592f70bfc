// Webhooks of this adapter: conversion between v1alpha1 and v1beta1, and admission.
import type { AdmissionWebhook, ConversionWebhook, Webhooks } from '../api/webhooks.ts';
import { answerAdmissionReview, reviewAsksForOthers } from './api/admission/review.ts';
import { ADMITTED, admissionPath, webhookConfiguration } from './api/admission/webhooks.ts';
import { convertObject } from './api/conversion/convert.ts';
import { nameOf } from './api/conversion/object-name.ts';
import { VERSIONS } from './api/definitions.ts';
import { GROUP } from './api/types.ts';
import { metal3Resource } from './serving.ts';

/** Name of the ValidatingWebhookConfiguration. */
export const CONFIGURATION = 'troupe-metal3';

const HOSTS = metal3Resource('BareMetalHost', 'baremetalhosts');

const conversion: ConversionWebhook = {
  path: '/convert',
  // The versions of all other kinds are equal but for their names: the API server converts these itself.
  definitions: ['baremetalhosts', 'hostclaims'].map((plural) => `${plural}.${GROUP}`),
  convert(object, desiredAPIVersion) {
    const conversion = convertObject(object, desiredAPIVersion);
    if (conversion.kind === 'done') return conversion;
    return { kind: 'failed', message: `${nameOf(object)}: ${conversion.error.message}` };
  },
};

const admission: AdmissionWebhook = {
  paths: ADMITTED.map(({ kind }) => admissionPath(kind)),
  configurations: [CONFIGURATION],
  // A version that is not served causes no request; objects of a served version arrive as they are.
  manifests: (service) => [webhookConfiguration({ name: CONFIGURATION, server: { service }, versions: VERSIONS })],
  reads: [HOSTS],
  async review(review, path, { listObjects }) {
    const others = reviewAsksForOthers(review, path) ? await listObjects(HOSTS).catch(() => undefined) : undefined;
    // Without them the request is refused, and says why.
    return answerAdmissionReview(review, path, others);
  },
};

export const metal3Webhooks: Webhooks = { conversion, admission };
