// PreprovisioningImage with the builder that comes with Troupe: each is one of the images that are configured.
import { isDeepStrictEqual } from 'node:util';
import type { DependencyAnswer } from '../../../machines/lifecycle.ts';
import { Readiness } from '../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import type { Verdict } from '../../../machines/reconcile-loop/context.ts';
import { type ReconcileAttempt, reconcileLoop } from '../../../machines/reconcile-loop/lifecycle.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import type { DeploySettings } from '../host/deploy-settings.ts';
import { BUILDER_FINALIZER, type Built, builtImage } from '../host/image-builder.ts';
import { imageStateOf, type NetworkDataSecret, type PreprovisioningImage } from '../host/preprovisioning.ts';
import { SECRET_LABELS } from '../host/secret-labels.ts';
import { textOf } from '../json-values.ts';
import { metal3Resource } from '../serving.ts';

const MANAGER = 'metal3/preprovisioning-image';

/** @param images  the configured ones */
export function preprovisioningImage(images: Pick<DeploySettings, 'iso' | 'kernel' | 'ramdisk'>): DeclaredKind {
  return {
    ...metal3Resource('PreprovisioningImage', 'preprovisioningimages'),
    // Compared with those of its host, and of no use to its builder.
    retains: { labels: ['*'] },
    readsRetained: false,
    finalizer: BUILDER_FINALIZER,
    guards: [],
    fieldManagers: { finalizer: `${MANAGER}-finalizer`, guards: MANAGER },
    references(object) {
      const name = secretOf(object);
      return name === '' ? [] : [{ kind: 'Secret', name, finalizers: [], neededFor: 'always' }];
    },
    children: () => [],
    publicState(object) {
      // Whether the Secret is another by now is looked at by who boots it.
      const { kind } = imageStateOf(imageOf(object), builtWith(object));
      return { ready: kind === 'usable', id: object.metadata.name };
    },
    life: reconcileLoop({
      view(object) {
        const { generation = 0, deletionTimestamp, finalizers = [] } = object.metadata;
        const { status } = builtImage(imageOf(object), builtWith(object), { images, now: 0 });
        return {
          generation,
          deleting: deletionTimestamp !== undefined,
          owned: finalizers.includes(BUILDER_FINALIZER),
          heldBy: finalizers.filter((finalizer) => finalizer !== BUILDER_FINALIZER),
          settled: isDeepStrictEqual(status, object.status),
          basis: '',
        };
      },
      reconcile,
      wakesOn: (before, now) => !isDeepStrictEqual(versionOf(before), versionOf(now)),
      problemMessage(object) {
        const standing = imageStateOf(imageOf(object), builtWith(object));
        return standing.kind === 'failed' ? standing.message : undefined;
      },
      failure: 'ImageBuildFailed',
    }),
    operations: ['build'],
  };
}

/** One that is being deleted is built on as long as somebody holds it: who boots it may need it. */
async function reconcile({ ports, object, dependencies, owned }: ReconcileAttempt): Promise<Verdict> {
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  // Before anything else, as the reference does.
  if (!owned && !isDeleted) return { next: 'guard' };
  const secret = dependencies.find(({ kind }) => kind === 'Secret');
  const isThere = secret?.answer !== undefined && secret.answer.readiness !== Readiness.Absent;
  if (secret !== undefined && isThere && !isDeleted) {
    // Before it is read: its version is another one afterwards.
    await ports.labelReferenced(secret, { manager: `${MANAGER}-marks`, labels: SECRET_LABELS, isOwned: true });
  }
  const { status, againAfterMs } = (await ports.call('build')) as Built;
  await ports.storeStatus(MANAGER, status as JsonObject);
  if (isDeleted) return { next: 'leave' };
  return againAfterMs === undefined ? { next: 'rest' } : { next: 'pause', pauseMs: againAfterMs };
}

/** The Secret as the status says that it was when the image was made. */
function builtWith(object: KubeObject): NetworkDataSecret | undefined {
  const name = secretOf(object);
  const { name: built, version } = imageOf(object).status?.networkData ?? {};
  return name !== '' && built === name && version ? { name, resourceVersion: version } : undefined;
}

function secretOf({ spec }: KubeObject): string {
  return textOf(spec?.['networkDataName']);
}

function versionOf(answer: DependencyAnswer | undefined): readonly unknown[] {
  return [answer?.readiness === Readiness.Absent, answer?.uid, answer?.version];
}

function imageOf(object: KubeObject): PreprovisioningImage {
  return object as PreprovisioningImage;
}
