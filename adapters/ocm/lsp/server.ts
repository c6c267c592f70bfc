// The language server: an editor's questions and answers, over a pair of streams.
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type CompletionItem,
  type Hover,
  type InitializeParams,
  type InitializeResult,
  type Location,
  MarkupKind,
  MessageType,
  ShowMessageNotification,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
  type TextEdit,
} from 'vscode-languageserver';
import { createConnection } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Clock } from '../../../bus/time.ts';
import { type Diagnostic, format, type Place, parse, type Skipped } from '../model/mod.ts';
import { answer, CAPABILITIES, type Known } from './answers.ts';
import { completionsAt } from './completion.ts';
import { definitionOf } from './definition.ts';
import { hoverOf } from './hover.ts';
import { Complaints } from './problems.ts';
import { type EditedWorkspace, Projects } from './projects.ts';
import { offsetOf, rangeOf } from './ranges.ts';
import { sightAt } from './symbols-at.ts';

export interface ServeDeps {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Roots of one model; without any, models are searched in the open folders. */
  readonly roots: readonly string[];
  readonly clock: Clock;
}

/** Position in a file, with the file and its version. */
interface Spot extends Known {
  readonly offset: number;
}

/** Serves one editor. The process ends when the editor requests it or disconnects. */
export function serve({ input, output, roots, clock }: ServeDeps): void {
  const connection = createConnection(input, output);
  const documents = new TextDocuments(TextDocument);
  const complaints = new Map<EditedWorkspace, Complaints>();
  const stop = new AbortController();
  let folders: string[] = [];
  let projects: Projects | undefined;

  const report = (error: unknown): void => {
    const message = `troupe: ${error instanceof Error ? error.message : String(error)}`;
    void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Error, message });
  };
  const onSkipped = ({ path, reason }: Skipped): void =>
    connection.console.info(`troupe: '${path}' is left out: ${reason}`);
  // An editor has its own spelling of addresses, which must be used for its open files.
  const uriOf = (file: string): string =>
    documents.keys().find((uri) => pathOf(uri) === file) ?? pathToFileURL(file).href;

  const publish = (
    file: string,
    diagnostics: Parameters<typeof connection.sendDiagnostics>[0]['diagnostics'],
  ): void => {
    const uri = uriOf(file);
    const version = documents.get(uri)?.version;
    void connection.sendDiagnostics({ uri, diagnostics, ...(version === undefined ? {} : { version }) }).catch(report);
  };
  const complain = (workspace: EditedWorkspace): void => {
    let reported = complaints.get(workspace);
    if (reported === undefined) {
      reported = new Complaints();
      complaints.set(workspace, reported);
    }
    const current = workspace.diagnostics().flatMap((diagnostic) => inFile(diagnostic, workspace));
    for (const { file, diagnostics } of reported.update(current, (file) => workspace.syntax(file)?.text ?? '')) {
      publish(file, diagnostics);
    }
  };
  /** A file that belongs to no model is only read, not understood. */
  const complainAlone = (file: string, text: string): void => {
    for (const each of new Complaints().update(parse(file, text).diagnostics, () => text))
      publish(file, each.diagnostics);
  };

  connection.onInitialize((params): InitializeResult => {
    folders = foldersOf(params);
    return {
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        definitionProvider: true,
        hoverProvider: true,
        completionProvider: { triggerCharacters: [' ', ']', '@'] },
        documentFormattingProvider: true,
        ...CAPABILITIES,
      },
      serverInfo: { name: 'troupe model lsp' },
    };
  });
  connection.onInitialized(() => {
    projects = new Projects({
      roots,
      folders,
      clock,
      signal: stop.signal,
      onChange: complain,
      onError: report,
      onSkipped,
    });
    for (const workspace of projects.workspaces()) complain(workspace);
    for (const document of documents.all()) changed(document);
  });

  const changed = (document: TextDocument): void => {
    const file = pathOf(document.uri);
    if (file === undefined || projects === undefined) return;
    const workspace = projects.of(file);
    if (workspace === undefined) {
      complainAlone(file, document.getText());
      return;
    }
    workspace.edit(file, document.getText());
    complain(workspace);
  };
  documents.onDidChangeContent(({ document }) => changed(document));
  documents.onDidClose(({ document }) => {
    const file = pathOf(document.uri);
    if (file === undefined) return;
    const workspace = projects?.of(file);
    if (workspace === undefined) {
      publish(file, []);
      return;
    }
    workspace.close(file);
    complain(workspace);
  });

  const fileOf = (uri: string): Known | undefined => {
    const file = pathOf(uri);
    if (file === undefined) return undefined;
    const workspace = projects?.of(file);
    const syntax = workspace?.syntax(file);
    const scope = workspace?.scope(file);
    if (workspace === undefined || syntax === undefined || scope === undefined) return undefined;
    return { workspace, syntax, scope };
  };
  const spotOf = ({ textDocument, position }: TextDocumentPositionParams): Spot | undefined => {
    const known = fileOf(textDocument.uri);
    return known && { ...known, offset: offsetOf(position, known.syntax.text) };
  };
  const locationOf = (place: Place, workspace: EditedWorkspace): Location => ({
    uri: uriOf(place.file),
    range: rangeOf(place, workspace.syntax(place.file)?.text ?? ''),
  });

  connection.onDefinition((params): Location | undefined => {
    const spot = spotOf(params);
    const sight = spot && sightAt(spot.syntax, spot.offset);
    const place = sight && definitionOf(sight, spot.scope);
    return place && locationOf(place, spot.workspace);
  });
  connection.onHover((params): Hover | undefined => {
    const spot = spotOf(params);
    const sight = spot && sightAt(spot.syntax, spot.offset);
    if (spot === undefined || sight === undefined) return undefined;
    const value = hoverOf(sight, spot.scope);
    if (value === undefined) return undefined;
    return { contents: { kind: MarkupKind.Markdown, value }, range: rangeOf(sight.place, spot.syntax.text) };
  });
  connection.onCompletion((params): CompletionItem[] => {
    const spot = spotOf(params);
    return spot === undefined ? [] : completionsAt(spot.syntax, spot.scope, spot.offset);
  });
  connection.onDocumentFormatting(({ textDocument }): TextEdit[] => {
    const text = documents.get(textDocument.uri)?.getText();
    if (text === undefined) return [];
    const syntax = parse(pathOf(textDocument.uri) ?? textDocument.uri, text);
    // The diagnostics say why nothing happens; a message at every save would be in the way.
    if (syntax.diagnostics.length > 0) return [];
    const newText = format(syntax);
    return newText === text ? [] : [{ range: rangeOf({ offset: 0, length: text.length }, text), newText }];
  });

  answer({ connection, fileOf, uriOf, workspaces: () => projects?.workspaces() ?? [], locationOf });

  connection.onShutdown(() => stop.abort());
  documents.listen(connection);
  connection.listen();
}

/** Undefined for what is not on a disk, or is no model file. */
function pathOf(uri: string): string | undefined {
  return uri.startsWith('file:') && uri.endsWith('.model') ? fileURLToPath(uri) : undefined;
}

function foldersOf({ workspaceFolders, rootUri }: InitializeParams): string[] {
  const uris = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri === null ? [] : [rootUri]);
  return uris.filter((uri) => uri.startsWith('file:')).map((uri) => fileURLToPath(uri).replace(/(?<=.)[\\/]$/, ''));
}

/** A diagnostic about a whole version is shown at the top of its first file; a version without files shows none. */
function inFile(diagnostic: Diagnostic, workspace: EditedWorkspace): Diagnostic[] {
  const { place } = diagnostic;
  if (place.line > 0) return [diagnostic];
  const [file] = workspace
    .files()
    .filter((each) => each.startsWith(place.file) && !/[\\/]/.test(each.slice(place.file.length + 1)))
    .sort();
  return file === undefined ? [] : [{ ...diagnostic, place: { ...place, file } }];
}
