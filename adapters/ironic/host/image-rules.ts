// Rules of a deployable image: checked when an object is admitted, and again before the deployment.
import { mapOf, textOf } from '../json-values.ts';
import { hostProblem, splitUrl, withoutUserInformation } from './url-parts.ts';

const SCHEMES: readonly string[] = ['http', 'https', 'ftp', 'gopher', 'oci'];
/** Empty and `auto`: Ironic tells by the checksum. */
const CHECKSUM_TYPES: readonly string[] = ['', 'auto', 'md5', 'sha256', 'sha512'];

/** All that is wrong with an image, as it is in a spec; of none nothing is. */
export function imageProblems(image: unknown): readonly string[] {
  if (image === undefined || image === null) return [];
  const { url, checksum, checksumType, format } = mapOf(image);
  const isOci = /^oci:\/\//i.test(textOf(url));
  const urlProblem = imageUrlProblem(url);
  const problems = urlProblem === undefined ? [] : [urlProblem];
  if (textOf(checksum) === '') {
    if (!isOci && format !== 'live-iso') problems.push('checksum is required for normal images');
  } else if (isOci) {
    problems.push('spec.image.checksum must be empty for OCI images');
  }
  if (!CHECKSUM_TYPES.includes(textOf(checksumType))) problems.push(`unknown checksumType ${textOf(checksumType)}`);
  return problems;
}

/** Problem of a URL that Ironic fetches. */
export function imageUrlProblem(url: unknown): string | undefined {
  const text = textOf(url);
  const problem = problemOf(text);
  return problem === undefined ? undefined : `image URL ${withoutUserInformation(text)} is invalid: ${problem}`;
}

function problemOf(text: string): string | undefined {
  const split = splitUrl(text);
  if ('problem' in split) return split.problem;
  return SCHEMES.includes(split.parts.scheme)
    ? hostProblem(split.parts)
    : `invalid scheme in URL, it must be one of ${SCHEMES.join(', ')}`;
}
