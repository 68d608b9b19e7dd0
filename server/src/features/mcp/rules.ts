import { bounded } from 'pentarch-prose';
import type { Caller } from '../../kernel/caller.ts';
import { globMatches, literalLength } from '../../kernel/glob.ts';
import type { Approval, ResolvedPolicy, ToolPolicy } from '../../kernel/tool-policy.ts';
import type { ToolAnnotations } from '../../kernel/tools.ts';
import type { AccessList, AccessRule, ServerPolicy } from './types.ts';

/** Decisions of the gateway; no clock, no network, no storage. */

const NAME = /^[a-z0-9-]{1,40}$/;
/** `servers`, `servers/import` and `servers/test` are paths of the API, `pentarch` the platform's own tools. */
const RESERVED = new Set(['servers', 'import', 'test', 'pentarch']);

/** What is wrong with the name of a server, or null. */
export const serverNameFault = (name: string): string | null => {
  if (!NAME.test(name)) return 'must have 1 to 40 of a-z, 0-9 and -';
  return RESERVED.has(name) ? 'is reserved' : null;
};

/** A name of the shared file, which may hold anything, as a name of the platform. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);

/** For whom a stdio server is: the names of the tenant (id and slug), and whether a platform administrator asks. */
export interface StdioOwner {
  tenant: readonly string[];
  isPlatform: boolean;
}

const ANY_FURTHER = '**';

/** What a star stands for is not a way out of the folder before it. */
const argumentMatches = (written: string, given: string): boolean =>
  written === given ||
  (written.includes('*') && !/(^|[\\/=])\.\.([\\/]|$)/.test(given) && globMatches(written, given));

const lineMatches = (written: readonly string[], given: readonly string[]): boolean => {
  const isOpen = written.at(-1) === ANY_FURTHER;
  const fixed = isOpen ? written.slice(0, -1) : written;
  return (
    (isOpen ? given.length >= fixed.length : given.length === fixed.length) &&
    fixed.every((part, i) => argumentMatches(part, given[i] ?? ''))
  );
};

/**
 * `MCP_ALLOW_STDIO`: each entry is a whole command line, behind the tenant that may start it (`acme: npx -y some-server`).
 * `*` stands for any part of one argument, `**` at the end for any further arguments; `*:` for every tenant. An entry without a
 * tenant is for platform administrators.
 */
export const isStdioAllowed = (
  allowed: readonly string[],
  line: { command: string; args: readonly string[] },
  owner: StdioOwner,
): boolean =>
  allowed.some((entry) => {
    const parts = entry.split(/\s+/).filter((part) => part !== '');
    const named = /^(.+):$/.exec(parts[0] ?? '')?.[1];
    const mayUse = named === undefined ? owner.isPlatform : named === '*' || owner.tenant.includes(named);
    const [command, ...args] = named === undefined ? parts : parts.slice(1);
    return mayUse && command === line.command && lineMatches(args, line.args);
  });

const MAX_ENV_NAME = 128;

/** Variables by which a program can be made to load code, take other programs or send its traffic elsewhere. */
const DANGEROUS_ENV = new RegExp(
  `^(${[
    'LD_.*',
    'DYLD_.*',
    'GCONV_PATH',
    'NODE_(OPTIONS|PATH|REPL_.*|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|V8_COVERAGE)',
    'NPM_CONFIG_.*',
    'PYTHON.*',
    'PERL.*',
    'RUBY(OPT|LIB|SHELL)',
    'GEM_(HOME|PATH)',
    'BUNDLE_.*',
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'JDK_JAVA_OPTIONS',
    'CLASSPATH',
    'DOTNET_(STARTUP_HOOKS|ADDITIONAL_DEPS)',
    'PATH',
    'PATHEXT',
    'COMSPEC',
    'SHELL',
    'SHELLOPTS',
    'BASHOPTS',
    'BASH_ENV',
    'BASH_FUNC_.*',
    'ENV',
    'IFS',
    'PS4',
    'PROMPT_COMMAND',
    'ZDOTDIR',
    'HOME',
    'USERPROFILE',
    'TMPDIR',
    'TE?MP',
    '(OLD|INIT_C)?(PWD|CWD|WD)',
    'TERM(INFO.*|CAP)',
    'GIT_.*',
    'SSH_.*',
    'EDITOR',
    'VISUAL',
    'PAGER',
    'BROWSER',
    'OPENSSL_(CONF|MODULES|ENGINES)',
    'SSL_CERT_(FILE|DIR)',
    '(HTTP|HTTPS|ALL|NO)_PROXY',
    'UV_.*',
    'PIP_.*',
    'DENO_.*',
    'BUN_.*',
    'YARN_.*',
    'COREPACK_.*',
    'DOCKER_HOST',
    'KUBECONFIG',
    'HOSTALIASES',
    'AWS_(SHARED_CREDENTIALS_FILE|CONFIG_FILE)',
    'GO(PROXY|FLAGS|SUMDB|NOSUMDB|NOPROXY|PRIVATE|INSECURE|ROOT|BIN|ENV|WORK|TOOLCHAIN|VCS)',
    'LUA_.*',
    'PHP.*',
    'R_(PROFILE|ENVIRON|LIBS|HOME).*',
    'ERL_.*',
    'JULIA_.*',
    '(CORECLR|COR|COMPLUS)_.*',
    'RUST(C|DOC|UP)_.*',
    '(MAVEN|GRADLE|SBT|ANT)_.*',
    'GTK_.*',
    'GIO_.*',
    'QT_.*',
    'LESS(OPEN|CLOSE|KEY.*)?',
    'GLIBC_.*',
    'MALLOC_.*',
    '(CC|CXX|CPP|LD|AR|AS|MAKE|MAKEFLAGS|RUSTC|RUSTDOC|GODEBUG|GOTRACEBACK|VIRTUAL_ENV|__PYVENV_.*)',
    'PG(SERVICE(FILE)?|SYSCONFDIR|PASSFILE)',
    'KRB5.*',
    '(DOTNET_.*|GOTOOLDIR|GEM_SOURCE|FONTCONFIG_.*|DOCKER_.*|OCL_ICD_.*)',
    'XDG_.*',
  ].join('|')})$`,
  'i',
);

/** Families of such variables over all programs. `*_FILE_PATH` is left out: it names data. */
const DANGEROUS_FAMILY = bounded(
  MAX_ENV_NAME,
  new RegExp(
    `(${[
      'PROXY',
      '_REGISTRY',
      '_(OPTS|OPTIONS|FLAGS|ARGS)',
      '(?<!_FILE_?)PATHS?',
      'HOME',
      '_(MODULES?|PLUGINS?|HOOKS?|PRELOAD|EXTENSIONS)',
      '_CONFIG(_FILE|_DIR|_PATH|_HOME)?',
      '_CA_?(BUNDLE|CERTS?|FILE|PATH|DIR)',
      '_(INIT|STARTUP)',
      '_(PYTHON|BIN|BINARY|LIBRARY|LIBRARIES)',
      '_(WRAPPER|LAUNCHER|INTERPRETER|EXECUTABLE|ASKPASS|BROWSER|SHELL|COMPILER)',
      '(PAGER|EDITOR|KEYLOGFILE|ODBC[A-Z]*INI|_INI)',
      '(^|_)(?!(SRC|ARC)$)[A-Z]*RC',
    ].join('|')})$|PROFIL(E|ER|ING)(_|$)|^(NODE_(?!ENV$)|${[
      'ELECTRON',
      'CARGO',
      'VK',
      'NIX',
      'CONDA',
      'PYENV',
      'NVM',
      'VOLTA',
      'ASDF',
      'RBENV',
      'DBUS',
      'SYSTEMD',
      'TS_NODE',
    ].join('_|')}_)`,
    'i',
  ),
);
/** What says who somebody is leads nowhere. */
const CREDENTIAL = /_(KEY|KEY_ID|TOKEN|SECRET|PASSWORD|PASS|USER|USERNAME)$/i;
const isDangerousEnv = (name: string): boolean =>
  DANGEROUS_ENV.test(name) || (DANGEROUS_FAMILY.test(name) && !CREDENTIAL.test(name));

export const envFault = (name: string, value: string): string | null => {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return 'is not a name of a variable';
  if (isDangerousEnv(name)) return 'is not allowed: it can change what the program runs';
  return value.includes('\u0000') ? 'must not hold a NUL' : null;
};

/** Set by the transport itself, or able to change what the request means on the way. */
const OWN_HEADERS =
  /^(host|connection|content-length|content-type|transfer-encoding|te|trailer|upgrade|keep-alive|expect|accept|proxy-.*|x-forwarded-.*|forwarded|mcp-.*|last-event-id)$/i;

export const headerFault = (name: string, value: string): string | null => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name)) return 'is not a name of a header';
  if (OWN_HEADERS.test(name)) return 'is set by the platform';
  return /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value) ? null : 'has characters that no header may hold';
};

/** What the operator's policy says of one tool; later (more literal) globs override part by part. */
export const policyOf = (policy: ServerPolicy, tool: string): ToolPolicy => {
  const matching = Object.entries(policy.tools ?? {})
    .filter(([glob]) => globMatches(glob, tool))
    .sort(([a], [b]) => literalLength(a) - literalLength(b));
  const result: ToolPolicy = { ...policy.default };
  for (const [, part] of matching) {
    if (part.cost_usd !== undefined) result.cost_usd = part.cost_usd;
    if (part.risk !== undefined) result.risk = part.risk;
    if (part.flags !== undefined) result.flags = part.flags;
    if (part.approval !== undefined) result.approval = part.approval;
  }
  return result;
};

/** With all parts: what is not said comes from what the tool declares (contract, section 7). */
export const resolvePolicy = (policy: ToolPolicy, annotations: ToolAnnotations): ResolvedPolicy => {
  const flags = [...(policy.flags ?? [])];
  const declared: Approval = annotations.destructive ? 'pentarchy' : 'auto';
  return {
    cost_usd: policy.cost_usd ?? 0,
    risk: policy.risk ?? (annotations.destructive ? 'high' : annotations.readOnly ? 'low' : 'medium'),
    flags,
    approval: policy.approval ?? (flags.length > 0 ? 'human' : declared),
  };
};

/** The hints of the protocol as the platform reads them; what is not declared is not assumed to be harmless. */
export const readAnnotations = (declared: Record<string, unknown> | null): ToolAnnotations => {
  // Of hints that contradict each other the stricter holds.
  const destructive = declared?.destructiveHint === true;
  const readOnly = !destructive && declared?.readOnlyHint === true;
  return {
    readOnly,
    destructive,
    idempotent: readOnly || declared?.idempotentHint === true,
    openWorld: declared?.openWorldHint !== false,
  };
};

type Subject = Pick<Caller, 'tenantId' | 'roles'>;

/** `tool` null: does the rule speak of the server as a whole, as one of all its tools does. */
const ruleMatches = (rule: AccessRule, subject: Subject, tool: string | null): boolean =>
  (rule.tenants === undefined || rule.tenants.includes(subject.tenantId)) &&
  (rule.roles === undefined || rule.roles.some((role) => subject.roles.includes(role))) &&
  (rule.tools === undefined ||
    rule.tools.some((glob) => (tool === null ? /^\*+$/.test(glob) : globMatches(glob, tool))));

/** May the caller see the server at all: some tool of it could be allowed, and the whole is not denied. */
export const mayUseServer = (access: AccessList, subject: Subject): boolean => {
  if (access.deny?.some((rule) => ruleMatches(rule, subject, null))) return false;
  if (access.allow === undefined || access.allow.length === 0) return true;
  return access.allow.some((rule) => ruleMatches({ ...rule, tools: undefined }, subject, null));
};

export const mayUseTool = (access: AccessList, subject: Subject, tool: string): boolean => {
  if (access.deny?.some((rule) => ruleMatches(rule, subject, tool))) return false;
  if (access.allow === undefined || access.allow.length === 0) return true;
  return access.allow.some((rule) => ruleMatches(rule, subject, tool));
};

/** Next try after `failures` failures in a row: 0.5 s doubling to a minute, with a fifth of jitter (`random` 0–1). */
export const backOffMs = (failures: number, random: number): number =>
  Math.round(Math.min(60_000, 500 * 2 ** Math.max(0, failures - 1)) * (0.8 + 0.4 * random));
