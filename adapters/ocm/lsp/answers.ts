// Editor requests beyond those about one place: uses, renames, lists of symbols, fixes and colors.
import {
  type CodeAction,
  CodeActionKind,
  type Connection,
  ErrorCodes,
  type Location,
  type Range,
  ResponseError,
  type SymbolInformation,
  type TextDocumentPositionParams,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { type FileSyntax, isKeyword, type Place, type Scope } from '../model/mod.ts';
import { mendsOf } from './actions.ts';
import { definitionOf } from './definition.ts';
import type { EditedWorkspace } from './projects.ts';
import { offsetOf, rangeOf } from './ranges.ts';
import { refusalOf, renaming, usesOf } from './references.ts';
import { LEGEND, semanticTokens } from './semantic-tokens.ts';
import { symbolsIn, symbolsOf } from './symbols.ts';
import { sightAt } from './symbols-at.ts';

/** A file that belongs to a model. */
export interface Known {
  readonly workspace: EditedWorkspace;
  readonly syntax: FileSyntax;
  readonly scope: Scope;
}

export interface AnswersDeps {
  readonly connection: Connection;
  readonly fileOf: (uri: string) => Known | undefined;
  readonly uriOf: (file: string) => string;
  readonly workspaces: () => readonly EditedWorkspace[];
  readonly locationOf: (place: Place, workspace: EditedWorkspace) => Location;
}

/** Capabilities that are announced to the editor. */
export const CAPABILITIES = {
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
  semanticTokensProvider: { legend: LEGEND, full: true },
};

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function answer({ connection, fileOf, uriOf, workspaces, locationOf }: AnswersDeps): void {
  const sightOf = ({ textDocument, position }: TextDocumentPositionParams) => {
    const known = fileOf(textDocument.uri);
    const sight = known && sightAt(known.syntax, offsetOf(position, known.syntax.text));
    return known === undefined || sight === undefined ? undefined : { ...known, sight };
  };

  connection.onReferences((params): Location[] => {
    const found = sightOf(params);
    const place = found && definitionOf(found.sight, found.scope);
    if (found === undefined || place === undefined) return [];
    return usesOf(place, found.workspace)
      .filter(({ declares }) => params.context.includeDeclaration || !declares)
      .map(({ sight }) => locationOf(sight.place, found.workspace));
  });
  connection.onPrepareRename((params): Range | null => {
    const found = sightOf(params);
    if (found === undefined) return null;
    const { sight, scope, workspace, syntax } = found;
    const refusal = refusalOf(sight, definitionOf(sight, scope), workspace);
    if (refusal !== undefined) throw new ResponseError(ErrorCodes.InvalidRequest, refusal);
    return rangeOf(sight.place, syntax.text);
  });
  connection.onRenameRequest((params): WorkspaceEdit | null => {
    const found = sightOf(params);
    if (found === undefined) return null;
    const { newName } = params;
    const isName = IDENTIFIER.test(newName) && !isKeyword(newName);
    if (!isName) throw new ResponseError(ErrorCodes.InvalidParams, `'${newName}' cannot be a name`);
    const { refusal, places } = renaming(found.sight, newName, found.workspace);
    if (refusal !== undefined) throw new ResponseError(ErrorCodes.InvalidRequest, refusal);
    const edits = Map.groupBy(places, ({ file }) => file);
    const changes = [...edits].map(([file, each]) => {
      const text = found.workspace.syntax(file)?.text ?? '';
      return [uriOf(file), each.map((place) => ({ range: rangeOf(place, text), newText: newName }))] as const;
    });
    return { changes: Object.fromEntries(changes) };
  });
  connection.onDocumentSymbol(({ textDocument }) => {
    const known = fileOf(textDocument.uri);
    return known === undefined ? [] : symbolsOf(known.syntax);
  });
  connection.onWorkspaceSymbol(({ query }): SymbolInformation[] =>
    workspaces().flatMap((workspace) =>
      symbolsIn(workspace, query).map(({ name, kind, container, place }) => {
        return { name, kind, containerName: container, location: locationOf(place, workspace) };
      }),
    ),
  );
  connection.onCodeAction(({ textDocument, range, context }): CodeAction[] => {
    const known = fileOf(textDocument.uri);
    if (known === undefined || (context.only !== undefined && !context.only.includes(CodeActionKind.QuickFix)))
      return [];
    const { workspace, syntax } = known;
    const [from, to] = [offsetOf(range.start, syntax.text), offsetOf(range.end, syntax.text)];
    return workspace
      .diagnostics()
      .filter(({ place }) => place.file === syntax.file && place.offset <= to && from <= place.offset + place.length)
      .flatMap((diagnostic) =>
        mendsOf(diagnostic, syntax).map((mend): CodeAction => {
          const edit = { range: rangeOf(mend, syntax.text), newText: mend.text };
          const reported = context.diagnostics.filter(({ code, message }) => {
            return code === diagnostic.code && message === diagnostic.message;
          });
          return {
            title: mend.title,
            kind: CodeActionKind.QuickFix,
            diagnostics: reported,
            edit: { changes: { [textDocument.uri]: [edit] } },
          };
        }),
      );
  });
  connection.languages.semanticTokens.on(({ textDocument }) => {
    const known = fileOf(textDocument.uri);
    return { data: known === undefined ? [] : semanticTokens(known.syntax, known.scope) };
  });
}
