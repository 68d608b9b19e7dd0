/** Languages whose code is coloured, with the name that stands above it and how people and models write it behind the fence. */
const LANGUAGES = {
  bash: ['Shell', 'sh', 'shell', 'zsh', 'console', 'shellscript', 'shell-session'],
  c: ['C', 'h'],
  cpp: ['C++', 'c++', 'cc', 'cxx', 'hpp'],
  csharp: ['C#', 'c#', 'cs'],
  css: ['CSS'],
  dart: ['Dart'],
  diff: ['Diff', 'patch'],
  docker: ['Dockerfile', 'dockerfile'],
  elixir: ['Elixir', 'ex', 'exs'],
  go: ['Go', 'golang'],
  graphql: ['GraphQL', 'gql'],
  haskell: ['Haskell', 'hs'],
  hcl: ['HCL', 'terraform', 'tf'],
  html: ['HTML', 'htm'],
  ini: ['INI', 'cfg', 'properties', 'env', 'dotenv'],
  java: ['Java'],
  javascript: ['JavaScript', 'js', 'mjs', 'cjs', 'node'],
  json: ['JSON', 'json5', 'jsonc', 'jsonl', 'ndjson'],
  julia: ['Julia', 'jl'],
  jsx: ['JSX'],
  kotlin: ['Kotlin', 'kt', 'kts'],
  lua: ['Lua'],
  make: ['Makefile', 'makefile'],
  markdown: ['Markdown', 'md'],
  nginx: ['nginx'],
  perl: ['Perl', 'pl'],
  php: ['PHP'],
  powershell: ['PowerShell', 'ps1', 'pwsh', 'ps'],
  python: ['Python', 'py', 'python3', 'py3'],
  r: ['R'],
  ruby: ['Ruby', 'rb'],
  rust: ['Rust', 'rs'],
  scala: ['Scala'],
  sql: ['SQL', 'postgres', 'postgresql', 'mysql', 'sqlite', 'plsql'],
  swift: ['Swift'],
  toml: ['TOML'],
  tsx: ['TSX'],
  typescript: ['TypeScript', 'ts', 'mts', 'cts'],
  xml: ['XML', 'svg', 'xsl', 'xsd'],
  yaml: ['YAML', 'yml'],
} as const satisfies Record<string, readonly [name: string, ...aliases: string[]]>;

export type LanguageId = keyof typeof LANGUAGES;

const isLanguage = (name: string): name is LanguageId => Object.hasOwn(LANGUAGES, name);

const byAlias = new Map<string, LanguageId>(
  Object.entries(LANGUAGES).flatMap(([id, [, ...aliases]]) =>
    isLanguage(id) ? [id, ...aliases].map((alias): [string, LanguageId] => [alias, id]) : [],
  ),
);

const MAX_NAME = 30;

export interface NamedLanguage {
  /** Null: it is shown in one colour. */
  id: LanguageId | null;
  name: string;
}

/** Of the word behind a fence; null where there is none. A word that is not known stands as it was written. */
export const languageOf = (word: string): NamedLanguage | null => {
  const id = byAlias.get(word.toLowerCase()) ?? null;
  if (id !== null) return { id, name: LANGUAGES[id][0] };
  return word === '' ? null : { id: null, name: word.slice(0, MAX_NAME) };
};
