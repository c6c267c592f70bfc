// Manifests in files, and their way to another version of the API without a server. Types only.

/** Conversion of manifest files by an adapter. */
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
  /** Converted text; objects of others are unchanged. */
  readonly text: string;
  /** Objects that could not be converted and are unchanged in the text. */
  readonly problems: readonly ManifestProblem[];
}

export interface ManifestProblem {
  /** Counted from 1. */
  readonly document: number;
  /** Line in the whole text, from 1. */
  readonly line: number;
  /** Says nothing of what is in the text but kinds, names and versions. */
  readonly message: string;
  /** The text is neither YAML nor JSON. */
  readonly isUnreadable?: true;
}
