import type { Command } from 'commander';

/** Completion scripts, written out from the tree of commands: a key press starts no process. */

export interface Words {
  /** Names behind `pentarch`, such as `documents add`; '' for the program itself. */
  readonly path: string;
  readonly commands: readonly { name: string; about: string }[];
  readonly options: readonly { flag: string; about: string; values: readonly string[] }[];
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

export const wordsOf = (program: Command): Words[] => {
  const shared = program.options
    .filter(({ long }) => long !== '--version')
    .map((option) => ({
      flag: option.long ?? option.flags,
      about: option.description,
      values: option.argChoices ?? [],
    }));
  const walk = (command: Command, path: string): Words[] => {
    const own = command.options.map((option) => ({
      flag: option.long ?? option.flags,
      about: option.description,
      values: option.argChoices ?? [],
    }));
    const options = command === program ? own : [...own, ...shared];
    const children = command.commands.map((child) => ({
      name: child.name(),
      about: firstLine(child.description()),
    }));
    const inner = command.commands.flatMap((child) => walk(child, `${path} ${child.name()}`.trim()));
    return [{ path, commands: children, options }, ...inner];
  };
  return walk(program, '');
};

const bash = (words: readonly Words[]): string => {
  const cases = words
    .map(({ path, commands, options }) => {
      const all = [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag), '--help'];
      return `    '${path}') words='${all.join(' ')}' ;;`;
    })
    .join('\n');
  const paths = words.map(({ path }) => path).filter((path) => path !== '');
  return `# bash completion of pentarch. Use: source <(pentarch completions bash)
_pentarch() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' words='' word next i
  local known='${paths.map((path) => `|${path}|`).join('')}'
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == -* ]] && continue
    next=\${path:+$path }$word
    [[ $known == *"|$next|"* ]] && path=$next
  done
  case $path in
${cases}
  esac
  COMPREPLY=()
  while IFS= read -r word; do [[ -n $word ]] && COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
  # Where nothing of ours fits, a file may be meant.
  if [[ \${#COMPREPLY[@]} -eq 0 && $current != -* ]]; then
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
  fi
}
complete -F _pentarch pentarch
`;
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const zsh = (words: readonly Words[]): string => {
  const item = (name: string, about: string): string =>
    quoted(`${name}:${firstLine(about).replaceAll(':', ' -')}`);
  const cases = words
    .map(({ path, commands, options }) => {
      const entries = [
        ...commands.map(({ name, about }) => item(name, about)),
        ...options.map(({ flag, about }) => item(flag, about)),
        item('--help', 'what it does'),
      ];
      return `    '${path}') entries=(\n      ${entries.join('\n      ')}\n    ) ;;`;
    })
    .join('\n');
  const paths = words.map(({ path }) => path).filter((path) => path !== '');
  return `#compdef pentarch
# zsh completion of pentarch. Use: source <(pentarch completions zsh), after compinit
_pentarch() {
  local path_='' next word
  local -a entries known
  known=(${paths.map(quoted).join(' ')})
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ $word == -* ]] && continue
    next="\${path_:+$path_ }$word"
    (( \${known[(Ie)$next]} )) && path_=$next
  done
  case $path_ in
${cases}
  esac
  _describe 'pentarch' entries || _files
}
compdef _pentarch pentarch
`;
};

const fish = (words: readonly Words[]): string => {
  const lines = words.flatMap(({ path, commands, options }) => {
    const when = `"__pentarch_at '${path}'"`;
    return [
      ...commands.map(
        ({ name, about }) => `complete -c pentarch -f -n ${when} -a ${name} -d ${quoted(firstLine(about))}`,
      ),
      ...options.map(({ flag, about, values }) => {
        const choices = values.length === 0 ? '' : ` -x -a ${quoted(values.join(' '))}`;
        return `complete -c pentarch -n ${when} -l ${flag.replace(/^--/, '')}${choices} -d ${quoted(firstLine(about))}`;
      }),
    ];
  });
  const paths = words.map(({ path }) => path).filter((path) => path !== '');
  return `# fish completion of pentarch. Use: pentarch completions fish | source
function __pentarch_at
    set -l known ${paths.map(quoted).join(' ')}
    set -l path ''
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        set -l next (string trim -- "$path $word")
        contains -- $next $known; and set path $next
    end
    test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
};

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof SHELLS)[number];

export const completionScript = (shell: ShellName, words: readonly Words[]): string =>
  ({ bash, zsh, fish })[shell](words);
