// Models for tests of generators: made of texts, or read from a folder.
import * as assert from 'uvu/assert';
import { readModel, Severity, type Version, Workspace } from '../../../adapters/ocm/model/mod.ts';

/** Texts by path; a path without directories is a file of `svc/v1`. @returns that version, which has no errors */
export function versionOf(files: Readonly<Record<string, string>>, directory = 'svc/v1'): Version {
  const workspace = new Workspace();
  for (const [file, text] of Object.entries(files)) workspace.set(file.includes('/') ? file : `svc/v1/${file}`, text);
  const version = versionsOf(workspace).find((candidate) => candidate.directory === directory);
  if (version === undefined) throw new Error(`there is no ${directory}`);
  return version;
}

export function versionsIn(root: string): Version[] {
  const workspace = new Workspace();
  readModel(workspace, [root]);
  return versionsOf(workspace);
}

function versionsOf(workspace: Workspace): Version[] {
  const errors = workspace.diagnostics().filter(({ severity }) => severity === Severity.Error);
  assert.equal(errors, []);
  return workspace.model().services.flatMap(({ versions }) => versions);
}
