// `troupe completion`: scripts by which shells ask the program itself what may stand where the cursor is.
import { hint } from '../../../adapters/text/nearest.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { COMPLETE, Directive } from './protocol.ts';

/** An answer to the shell is a candidate a line, with what it is about behind a tab, and `:` with the directive. */
const SCRIPTS: Readonly<Record<string, string>> = {
  // The words are read off the line: bash's own are broken at '=' too.
  bash: `# bash completion of troupe: source <(troupe completion bash)
_troupe() {
  local line=\${COMP_LINE:0:COMP_POINT} words=() current answer text directive=${Directive.None}
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=\${words[\${#words[@]}-1]}
  COMPREPLY=()
  answer=$("\${words[0]}" ${COMPLETE} "\${words[@]:1}" 2>/dev/null) || return 0
  while IFS= read -r text; do
    if [[ $text == :* ]]; then
      directive=\${text#:}
      continue
    fi
    text=\${text%%$'\\t'*}
    [[ $current == *=* && $COMP_WORDBREAKS == *=* ]] && text=\${text#*=}
    COMPREPLY+=("$text")
  done <<<"$answer"
  if ((directive & ${Directive.NoSpace})); then compopt -o nospace 2>/dev/null; fi
  if ((!(directive & ${Directive.NoFiles}))); then compopt -o default 2>/dev/null; fi
  return 0
}
complete -F _troupe troupe
`,
  zsh: `#compdef troupe
# zsh completion of troupe: source <(troupe completion zsh), below compinit
_troupe() {
  local -a answer candidates
  local text directive
  answer=("\${(@f)$("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  directive=\${answer[-1]#:}
  for text in "\${(@)answer[1,-2]}"; do
    candidates+=("\${\${text%%$'\\t'*}//:/\\\\:}:\${text#*$'\\t'}")
  done
  if ((directive & ${Directive.NoSpace})); then
    _describe troupe candidates -S ''
  else
    _describe troupe candidates
  fi
  if ((!(directive & ${Directive.NoFiles}))); then _files; fi
}
compdef _troupe troupe
`,
  fish: `# fish completion of troupe: troupe completion fish | source
function __troupe_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l answer ($words[1] ${COMPLETE} $words[2..-1] "$current" 2>/dev/null)
  set -l directive (string sub -s 2 -- $answer[-1])
  if test (math "floor($directive / ${Directive.NoFiles}) % 2") -eq 0
    __fish_complete_path "$current"
  end
  if test (count $answer) -gt 1
    printf '%s\\n' $answer[1..-2]
  end
end
complete -c troupe -f -a '(__troupe_complete)'
`,
};

/** @throws {TerminalError} not one shell was named, or one that there is no script for */
export function completionScript(names: readonly string[]): string {
  const [shell = '', ...more] = names;
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script !== undefined && more.length === 0) return script;
  const shells = Object.keys(SCRIPTS);
  const got = names.length === 0 ? 'nothing' : `'${names.join(' ')}'`;
  throw new TerminalError(`'completion' takes ${shells.join(' or ')}; got ${got}${hint(shell, shells)}`);
}
