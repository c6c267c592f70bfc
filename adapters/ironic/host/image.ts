// Kind of an image, by its JSON: none, a live ISO, one of an OCI registry, or a disk image.
import type { Image, Maybe } from './host-json.ts';

/** An image as it counts: one that names something. */
export type NamedImage = Image & { readonly url: string };

/** The API writes an absent image of the status as `{"url": ""}`. */
export function isImage(image: Maybe<Image>): image is NamedImage {
  return typeof image?.url === 'string' && image.url !== '';
}

/** Booted from, and never written to a disk. */
export function isLiveIso(image: Maybe<Image>): boolean {
  return image?.format === 'live-iso';
}

export function isOci(image: Maybe<Image>): boolean {
  return /^oci:\/\//i.test(image?.url ?? '');
}
