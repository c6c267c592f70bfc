// Complaints for programs: as plain JSON, and as SARIF 2.1.0, which code hosts show beside the lines.

import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Diagnostic, Place } from '../../../adapters/ocm/model/mod.ts';
import { plainJson } from '../../base/printable.ts';
import { TROUPE_VERSION } from '../../base/version.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

export function jsonReport(diagnostics: readonly Diagnostic[]): string {
  const plain = diagnostics.map(({ code, severity, message, place: { file, line, column } }) => {
    return { code, severity, message, file, line, column };
  });
  return text({ diagnostics: plain });
}

export function sarifReport(diagnostics: readonly Diagnostic[]): string {
  const ids = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const results = diagnostics.map(({ code, severity, message, place }) => ({
    ruleId: code,
    ruleIndex: ids.indexOf(code),
    level: severity,
    message: { text: message },
    locations: [{ physicalLocation: locationOf(place) }],
  }));
  const driver = { name: 'troupe model check', version: TROUPE_VERSION, rules: ids.map((id) => ({ id })) };
  return text({
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'unicodeCodePoints', results }],
  });
}

/** Results about a version as a whole have no lines. */
function locationOf({ file, line, column }: Place) {
  const artifactLocation = { uri: uriOf(file) };
  return line === 0 ? { artifactLocation } : { artifactLocation, region: { startLine: line, startColumn: column } };
}

/** Relative where the path is: the reader knows from where. */
function uriOf(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return file.split(/[\\/]/).map(encodeURIComponent).join('/');
}

function text(report: unknown): string {
  return plainJson(`${JSON.stringify(report, null, 2)}\n`);
}
