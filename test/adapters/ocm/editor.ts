// An editor as the language server sees it: a client that speaks the protocol to a process over its standard streams.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import {
  type CodeAction,
  CodeActionRequest,
  type CompletionItem,
  CompletionRequest,
  createProtocolConnection,
  DefinitionRequest,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentFormattingRequest,
  type DocumentSymbol,
  DocumentSymbolRequest,
  ExitNotification,
  type Hover,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type Location,
  type Position,
  PublishDiagnosticsNotification,
  ReferencesRequest,
  RenameRequest,
  SemanticTokensRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type SymbolInformation,
  type TextEdit,
  WorkspaceSymbolRequest,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { systemClock } from '../../../actors/base/clock.ts';
import { OWN } from './corpus.ts';

/** After so long without news there will be none. */
const PATIENCE_MS = 10_000;
const CLI = fileURLToPath(new URL('../../../actors/cli.js', import.meta.url));

export interface Editor {
  readonly initialized: InitializeResult;
  open(file: string, text: string): Promise<void>;
  /** Replaces the first occurrence of a text, as an edit of just that place. */
  edit(file: string, from: string, to: string): Promise<void>;
  close(file: string): Promise<void>;
  text(file: string): string;
  /** Waits until the newest complaints about a file are as wanted. @returns them */
  complaints(file: string, isWanted: (found: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]>;
  /** At the first occurrence of a text, `|` in it being the place asked about. */
  definition(file: string, at: string): Promise<Location | null>;
  hover(file: string, at: string): Promise<string | undefined>;
  complete(file: string, at: string): Promise<CompletionItem[]>;
  format(file: string): Promise<string>;
  references(file: string, at: string): Promise<Location[]>;
  /** @returns texts of the files that change, by path */
  rename(file: string, at: string, name: string): Promise<Map<string, string>>;
  symbols(file: string): Promise<DocumentSymbol[]>;
  find(query: string): Promise<SymbolInformation[]>;
  /** @returns what a text would be after each mend that is offered, by title */
  mends(file: string, at: string): Promise<Map<string, string>>;
  /** @returns the words of a file with what they are */
  colors(file: string): Promise<string[]>;
  /** Ends the server as editors do. @returns its exit code */
  quit(): Promise<number | null>;
}

/** @param args  of `troupe model lsp` */
export async function startEditor(folders: readonly string[], args: readonly string[] = []): Promise<Editor> {
  const child = spawn(process.execPath, [CLI, 'model', 'lsp', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const clock = systemClock();
  const documents = new Map<string, TextDocument>();
  const published = new Map<string, readonly Diagnostic[]>();
  let news = Promise.withResolvers<void>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    published.set(fileURLToPath(uri), diagnostics);
    news.resolve();
    news = Promise.withResolvers();
  });
  connection.listen();
  const uriOf = (file: string): string => pathToFileURL(file).href;
  const initialized = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
    workspaceFolders: folders.map((folder) => ({ uri: uriOf(folder), name: folder })),
  });
  await connection.sendNotification(InitializedNotification.type, {});

  const documentOf = (file: string): TextDocument => {
    const document = documents.get(file);
    if (document === undefined) throw new Error(`'${file}' is not open`);
    return document;
  };
  const spot = (file: string, at: string): { textDocument: { uri: string }; position: Position } => {
    const document = documentOf(file);
    const start = document.getText().indexOf(at.replace('|', ''));
    if (start < 0) throw new Error(`'${at}' is not in '${file}'`);
    return { textDocument: { uri: document.uri }, position: document.positionAt(start + at.indexOf('|')) };
  };

  return {
    initialized,
    async open(file, text) {
      const document = TextDocument.create(uriOf(file), 'ocm', 1, text);
      documents.set(file, document);
      const { uri, languageId, version } = document;
      await connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId, version, text },
      });
    },
    async edit(file, from, to) {
      const document = documentOf(file);
      const start = document.getText().indexOf(from);
      if (start < 0) throw new Error(`'${from}' is not in '${file}'`);
      const range = { start: document.positionAt(start), end: document.positionAt(start + from.length) };
      const change = { range, text: to };
      const version = document.version + 1;
      documents.set(file, TextDocument.update(document, [change], version));
      await connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: document.uri, version },
        contentChanges: [change],
      });
    },
    async close(file) {
      const { uri } = documentOf(file);
      documents.delete(file);
      await connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
    },
    text: (file) => documentOf(file).getText(),
    async complaints(file, isWanted) {
      for (;;) {
        const found = published.get(file);
        if (found !== undefined && isWanted(found)) return found;
        const waiting = new AbortController();
        const patience = clock.sleep(PATIENCE_MS, waiting.signal).then(() => false);
        const isNews = await Promise.race([news.promise.then(() => true), patience]);
        waiting.abort();
        if (!isNews) throw new Error(`'${file}' has other complaints than awaited: ${JSON.stringify(found)}`);
      }
    },
    async definition(file, at) {
      const found = await connection.sendRequest(DefinitionRequest.type, spot(file, at));
      return found as Location | null;
    },
    async hover(file, at) {
      const found: Hover | null = await connection.sendRequest(HoverRequest.type, spot(file, at));
      return found === null ? undefined : (found.contents as { value: string }).value;
    },
    async complete(file, at) {
      return (await connection.sendRequest(CompletionRequest.type, spot(file, at))) as CompletionItem[];
    },
    async format(file) {
      const document = documentOf(file);
      const edits = await connection.sendRequest(DocumentFormattingRequest.type, {
        textDocument: { uri: document.uri },
        options: { tabSize: 4, insertSpaces: true },
      });
      return TextDocument.applyEdits(document, edits as TextEdit[]);
    },
    async references(file, at) {
      const params = { ...spot(file, at), context: { includeDeclaration: true } };
      return (await connection.sendRequest(ReferencesRequest.type, params)) ?? [];
    },
    async rename(file, at, newName) {
      const edit = await connection.sendRequest(RenameRequest.type, { ...spot(file, at), newName });
      return new Map(
        Object.entries(edit?.changes ?? {}).map(([uri, edits]) => {
          const path = fileURLToPath(uri);
          const document = documents.get(path) ?? TextDocument.create(uri, 'ocm', 0, readFileSync(path, 'utf8'));
          return [path, TextDocument.applyEdits(document, edits)];
        }),
      );
    },
    async symbols(file) {
      const textDocument = { uri: documentOf(file).uri };
      return (await connection.sendRequest(DocumentSymbolRequest.type, { textDocument })) as DocumentSymbol[];
    },
    async find(query) {
      return (await connection.sendRequest(WorkspaceSymbolRequest.type, { query })) as SymbolInformation[];
    },
    async mends(file, at) {
      const { textDocument, position } = spot(file, at);
      const params = { textDocument, range: { start: position, end: position }, context: { diagnostics: [] } };
      const actions = ((await connection.sendRequest(CodeActionRequest.type, params)) ?? []) as CodeAction[];
      return new Map(
        actions.map(({ title, edit }) => [
          title,
          TextDocument.applyEdits(documentOf(file), edit?.changes?.[textDocument.uri] ?? []),
        ]),
      );
    },
    async colors(file) {
      const document = documentOf(file);
      const textDocument = { uri: document.uri };
      const { data = [] } = (await connection.sendRequest(SemanticTokensRequest.type, { textDocument })) ?? {};
      const legend = initialized.capabilities.semanticTokensProvider?.legend.tokenTypes ?? [];
      const words: string[] = [];
      let [line, character] = [0, 0];
      for (let index = 0; index < data.length; index += 5) {
        const [lines = 0, characters = 0, length = 0, type = 0] = data.slice(index, index + 5);
        character = lines === 0 ? character + characters : characters;
        line += lines;
        const start = { line, character };
        const range = { start, end: { line, character: character + length } };
        words.push(`${document.getText(range)} ${legend[type]}`);
      }
      return words;
    },
    async quit() {
      await connection.sendRequest(ShutdownRequest.type);
      await connection.sendNotification(ExitNotification.type);
      const [code] = (await closed) as [number | null];
      connection.dispose();
      return code;
    },
  };
}

export interface Session {
  readonly editor: Editor;
  /** Path of a file from the services down. */
  at(file: string): string;
  /** Opens a file of the disk in the editor. */
  open(file: string): Promise<string>;
}

/** A folder with two services below `model`, and an editor that has it open. */
export async function withEditor(
  work: (session: Session) => Promise<void>,
  roots: readonly string[] = [],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-lsp-'));
  try {
    await cp(OWN, join(folder, 'model'), { recursive: true });
    const editor = await startEditor(
      roots.length === 0 ? [folder] : [],
      roots.map((root) => join(folder, root)),
    );
    const at = (file: string): string => join(folder, 'model', file);
    const open = async (file: string): Promise<string> => {
      const path = at(file);
      await editor.open(path, await readFile(path, 'utf8'));
      return path;
    };
    await work({ editor, at, open });
    assert.is(await editor.quit(), 0);
  } finally {
    await rm(folder, { recursive: true });
  }
}
