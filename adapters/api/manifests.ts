// Manifests in files, and their way to another version of the API without a server. Types only.

/** What an adapter makes of files of its users. */
export interface Manifests {
  /** Versions that it converts between, the oldest first. */
  readonly versions: readonly string[];
  /**
   * @param text  YAML of one or several documents, or JSON of one or several objects
   * @param version  one of `versions`
   */
  convert(text: string, version: string): ConvertedManifests;
}

export interface ConvertedManifests {
  /** What is not the adapter's is as it was. */
  readonly text: string;
  /** What could not be converted, and is in the text as it was. */
  readonly problems: readonly ManifestProblem[];
}

export interface ManifestProblem {
  /** Counted from 1. */
  readonly document: number;
  /** Of the whole text, counted from 1. */
  readonly line: number;
  /** Says nothing of what is in the text but kinds, names and versions. */
  readonly message: string;
}
