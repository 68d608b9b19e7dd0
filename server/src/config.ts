// Over 500 lines: one table, a row for each setting, best read beside each other.
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { parse } from 'yaml';

/**
 * Every setting of the platform, with its meaning and default. The only reader of the environment: the result is one
 * frozen object. `docs/reference/settings.md` is generated from this table (`npm run docs`).
 */

interface Setting<T> {
  default: T;
  about: string;
  /** Hidden in logs, docs and doctor output. */
  secret?: true;
  parse(text: string): T;
}

class SettingFault extends Error {}

const fail = (right: string): never => {
  throw new SettingFault(right);
};

const text = (fallback: string, about: string): Setting<string> => ({
  default: fallback,
  about,
  parse: (t) => t,
});

const optional = (about: string): Setting<string | null> => ({
  default: null,
  about,
  parse: (t) => (t === '' ? null : t),
});

const secret = (about: string): Setting<string | null> => ({ ...optional(about), secret: true });

const int = (fallback: number, min: number, max: number, about: string): Setting<number> => ({
  default: fallback,
  about,
  parse: (t) => {
    const value = Number(t);
    return /^\d+$/.test(t) && value >= min && value <= max
      ? value
      : fail(`a whole number from ${min} to ${max}`);
  },
});

const days = (fallback: number, about: string): Setting<number> =>
  int(fallback, 0, 36_500, `${about}; 0 keeps them`);

const decimal = (fallback: number, about: string): Setting<number> => ({
  default: fallback,
  about,
  parse: (t) => (/^\d+(\.\d+)?$/.test(t) ? Number(t) : fail('a number of 0 or more')),
});

const flag = (fallback: boolean, about: string): Setting<boolean> => ({
  default: fallback,
  about,
  parse: (t) => {
    const word = t.toLowerCase();
    if (['on', 'true', '1', 'yes'].includes(word)) return true;
    if (['off', 'false', '0', 'no', ''].includes(word)) return false;
    return fail('on or off');
  },
});

const oneOf = <const T extends readonly string[]>(
  values: T,
  fallback: T[number],
  about: string,
): Setting<T[number]> => ({
  default: fallback,
  about,
  parse: (t) => values.find((value) => value === t.toLowerCase()) ?? fail(`one of ${values.join(', ')}`),
});

const listOf = (t: string): readonly string[] =>
  t
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const list = (about: string): Setting<readonly string[]> => ({ default: [], about, parse: listOf });

/** An address, a range of some of them, or a name that the HTTP layer has for one. Whoever is trusted says what an address is. */
const isRangeOfProxies = (entry: string): boolean => {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const [address = '', prefix, ...rest] = entry.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) > 0 && Number(prefix) <= bits);
};

const url = (about: string): Setting<string | null> => ({
  default: null,
  about,
  parse: (t) => {
    if (t === '') return null;
    if (!URL.canParse(t) || !/^https?:$/.test(new URL(t).protocol)) return fail('an http or https address');
    return t.replace(/(?<!\/)\/+$/, '');
  },
});

export interface RateNumbers {
  perMinute: number;
  burst: number;
}

const rate = (about: string): Setting<RateNumbers | null> => ({
  default: null,
  about,
  parse: (t) => {
    const match = /^(\d{1,7}):(\d{1,7})$/.exec(t);
    const numbers = { perMinute: Number(match?.[1]), burst: Number(match?.[2]) };
    return match && numbers.perMinute > 0 && numbers.burst > 0
      ? numbers
      : fail('perMinute:burst, for example 60:10');
  },
});

export const SETTINGS = {
  HOST: text('127.0.0.1', 'Address to listen on'),
  PORT: int(8080, 0, 65535, 'Port to listen on; 0 takes a free one'),
  PUBLIC_URL: url('Address under which clients reach the service; default: made from HOST and PORT'),
  DATA_DIR: text(
    './data',
    'Folder of the SQLite file, document bytes and keys; made with mode 0700, locked by one process',
  ),
  DATABASE_URL: secret('PostgreSQL address (postgres://…) in place of the embedded SQLite file'),
  S3_BUCKET: optional(
    'Bucket of an S3-compatible store that keeps the bytes of documents; default: DATA_DIR, or PostgreSQL where that is the store',
  ),
  S3_PREFIX: {
    ...text('', 'Begin of the names of all objects in S3_BUCKET, for example pentarch/'),
    parse: (t: string) =>
      /^([A-Za-z0-9._-]+\/)*$/.test(t)
        ? t
        : fail('names of letters, digits and ._- that end in a slash each'),
  },
  S3_REGION: text('us-east-1', 'Region of S3_BUCKET'),
  S3_ENDPOINT: url('Address of a store that is not Amazon’s (MinIO, Ceph, Garage, R2, …)'),
  S3_ACCESS_KEY_ID: optional(
    'Access key for S3_BUCKET; default: that of the environment (variables of AWS, profile, role of the machine)',
  ),
  S3_SECRET_ACCESS_KEY: secret('Secret of S3_ACCESS_KEY_ID'),
  REDIS_URL: secret(
    'Redis (7 or newer) or Valkey address: lets several nodes work on one DATABASE_URL; the same on each',
  ),
  PLATFORM_KEY: secret(
    'Text of at least 32 characters that all nodes share: their keys are derived from it; default: random keys in DATA_DIR/keys',
  ),
  PLATFORM_KEY_PREVIOUS: secret(
    'The PLATFORM_KEY of before, while it is replaced: still opens what it sealed. Take it away after "keys rotate"',
  ),
  SQLITE_SYNCHRONOUS: oneOf(
    ['full', 'normal'],
    'full',
    'full: an acknowledged write survives a power cut; normal: it survives the death of the process only',
  ),
  ADMIN_EMAIL: text('admin@localhost', 'E-mail of the first admin (first start only)'),
  ADMIN_PASSWORD: secret(
    'Password of the first admin (first start only); default: generated, and shown once on a terminal, or written to DATA_DIR/admin-password where there is none',
  ),
  IDP_URL: url('Issuer of an external OpenID provider; default: the embedded provider'),
  IDP_CLIENT_ID: text('pentarch-api', 'Client id of this API at the identity provider'),
  IDP_CLIENT_SECRET: secret(
    'Client secret of this API at the identity provider; default: generated in DATA_DIR',
  ),
  IDP_CONSOLE_CLIENT_ID: text(
    'pentarch-console',
    'Public client (PKCE) at the external provider with which people sign in to the console; redirects to PUBLIC_URL/callback',
  ),
  IDP_AUDIENCE: optional('Audience that tokens of an external provider must carry; default: IDP_CLIENT_ID'),
  IDP_CREATE_USERS: flag(true, 'Create users and tenants of an external provider when they are first seen'),
  IDP_REQUIRE_ORGANISATION: oneOf(
    ['auto', 'on', 'off'],
    'auto',
    'Refuse tokens of an external provider that name no organisation; auto: as soon as one organisation has a tenant here',
  ),
  IDP_SCOPES: {
    ...text(
      'openid profile email offline_access',
      'Scopes that the console and the command line ask an external provider for, separated by spaces: those that bring organisation and roles into the token too',
    ),
    parse: (t: string) => {
      const scopes = t.split(/\s+/).filter((scope) => scope !== '');
      return scopes.includes('openid')
        ? scopes.join(' ')
        : fail('scopes separated by spaces, openid among them');
    },
  },
  IDP_PLATFORM_ADMINS: {
    ...list(
      'Who runs the platform, comma-separated: subjects of an external provider, or role:<name> for a role of its own there',
    ),
    parse: (t: string) => {
      const entries = list('').parse(t);
      return entries.some((entry) => /^role:(admin|operator|analyst|user|readonly)?$/.test(entry))
        ? fail('subjects, or role:<name> with a name that is none of the five roles')
        : entries;
    },
  },
  IDP_PROJECT_ID: optional(
    'Zitadel project whose roles count (urn:zitadel:iam:org:project:<id>:roles); default: those of every project in the token',
  ),
  IDP_CLI_CLIENT_ID: text(
    'pentarch-cli',
    'Public client (PKCE) at the external provider with which people sign in on the command line; redirects to http://127.0.0.1/callback with any port',
  ),
  CLIENT_ID_METADATA_DOCUMENTS: flag(
    true,
    'Let programs sign people in that nobody has registered: their client id is the https address of a document about them, which this server reads; not with IDP_URL',
  ),
  ACCESS_TOKEN_EXPIRE_MINUTES: int(60, 1, 1440, 'Life of an access token in minutes'),
  REFRESH_TOKEN_EXPIRE_DAYS: int(30, 1, 365, 'Life of a refresh token in days'),
  API_KEY_PREFIX: {
    ...text('ptk_', 'Prefix of platform API keys'),
    parse: (t: string) => (/^[a-z0-9]{1,12}_$/.test(t) ? t : fail('1 to 12 of a-z and 0-9, then _')),
  },
  LOGIN_LOCKOUT: flag(
    true,
    'Lock an account for a while after 10 failed sign-ins in 15 minutes; off for tests',
  ),
  LOGIN_FAILURES_PER_ADDRESS: int(
    100,
    10,
    1_000_000,
    'Failed sign-ins of one address (an IPv6 network of /64) in 15 minutes over all accounts; above it 429 at every door that takes a password',
  ),
  MODEL: optional(
    'Default model as provider/model, e.g. openai/gpt-5-mini, ollama/llama3.2, compatible/my-model, gguf/<path of a model file>, local or local/<name> (pulled with "pentarch model pull"), builtin',
  ),
  MODELS_DIR: optional('Folder of pulled models; default: models in DATA_DIR'),
  MODEL_HUB_URL: url(
    'Address of the hub that "pentarch model pull" asks, for example a mirror; default: https://huggingface.co',
  ),
  MODEL_FALLBACKS: list('Models to try in order when the default one is unavailable, comma-separated'),
  MODELS: list('Further models that callers may pick by context.model, comma-separated'),
  VISION_MODELS: list(
    'Models that can see pictures beside those known to, comma-separated, with * as in compatible/qwen*; after ! those that cannot',
  ),
  MEMORY_MODEL: optional(
    'Model that reads facts out of messages besides the patterns, for example openai/gpt-5-mini; counted on the ledger',
  ),
  EMBEDDING_MODEL: text(
    'builtin',
    'Embedding model: builtin, builtin-multilingual (pulled), onnx/<pulled name or folder>, openai/…, google/…, mistral/…, cohere/…, voyage/…, ollama/… or compatible/…',
  ),
  EMBEDDING_QUERY_PREFIX: optional(
    'Put in front of questions for an onnx/… model; default: what its folder says, and for e5 models "query: "',
  ),
  EMBEDDING_PASSAGE_PREFIX: optional(
    'Put in front of passages for an onnx/… model; default: what its folder says, and for e5 models "passage: "',
  ),
  EMBEDDING_WARM_UP: flag(
    true,
    'Load the built-in embedding model at the start; off: at its first use, which then takes about a second longer',
  ),
  EMBEDDING_DIMENSIONS: int(1536, 1, 4096, 'Dimensions of EMBEDDING_MODEL when it is not the built-in one'),
  RERANK_MODEL: optional(
    'Model that looks again at the best passages of each search, as compatible/<name> (POST …/rerank at COMPATIBLE_BASE_URL); counted on the ledger',
  ),
  OPENAI_API_KEY: secret('Key for OpenAI'),
  OPENAI_BASE_URL: url('Address of the OpenAI API; default: the public one'),
  ANTHROPIC_API_KEY: secret('Key for Anthropic'),
  ANTHROPIC_BASE_URL: url('Address of the Anthropic API; default: the public one'),
  GOOGLE_GENERATIVE_AI_API_KEY: secret('Key for Google Gemini'),
  GOOGLE_BASE_URL: url('Address of the Gemini API; default: the public one'),
  MISTRAL_API_KEY: secret('Key for Mistral, for EMBEDDING_MODEL=mistral/…'),
  MISTRAL_BASE_URL: url('Address of the Mistral API; default: the public one'),
  COHERE_API_KEY: secret('Key for Cohere, for EMBEDDING_MODEL=cohere/…'),
  COHERE_BASE_URL: url('Address of version 2 of the Cohere API; default: the public one'),
  VOYAGE_API_KEY: secret('Key for Voyage AI, for EMBEDDING_MODEL=voyage/…'),
  VOYAGE_BASE_URL: url('Address of the Voyage AI API; default: the public one'),
  OLLAMA_BASE_URL: url('Address of an Ollama server; default: http://127.0.0.1:11434, used when it answers'),
  COMPATIBLE_BASE_URL: url(
    'Address of any other service with the OpenAI chat-completions wire, ending in /v1',
  ),
  COMPATIBLE_API_KEY: secret('Key for COMPATIBLE_BASE_URL'),
  MODEL_TIMEOUT_S: int(300, 1, 3600, 'Longest silence of a model provider in seconds'),
  MAX_OUTPUT_TOKENS: int(4096, 16, 1_000_000, 'Output cap of one model call in tokens'),
  CONTEXT_TOKENS: int(
    32_768,
    512,
    10_000_000,
    'Context window in tokens of models that no table knows, e.g. of COMPATIBLE_BASE_URL',
  ),
  MAX_MESSAGE_CHARS: int(262_144, 1_000, 262_144, 'Most characters of one message'),
  HISTORY_TOKENS: int(
    12_000,
    0,
    1_000_000,
    'Most tokens of a conversation that go along with a message; older turns are summarised',
  ),
  TOOL_TOKENS: int(
    450,
    0,
    1_000_000,
    'Tools of an agent go along with a message up to so many tokens; it finds the others when it needs them. 0: all of them, always',
  ),
  PRICES_FILE: optional(
    'JSON file {model: {input, cached_input, cache_write, output}}, dollars per million tokens',
  ),
  DEFAULT_PRICE_INPUT: decimal(5, 'Price of unknown models, dollars per million input tokens'),
  DEFAULT_PRICE_OUTPUT: decimal(15, 'Price of unknown models, dollars per million output tokens'),
  RATE_LIMITS: flag(true, 'off refuses nothing (tests, trusted networks); the headers are sent all the same'),
  RATE_FREE: rate('perMinute:burst of the free tier, in place of both tables'),
  RATE_PRO: rate('perMinute:burst of the pro tier, in place of both tables'),
  RATE_ENTERPRISE: rate('perMinute:burst of the enterprise tier, in place of both tables'),
  SOCKETS_PER_CALLER: int(50, 1, 1_000_000, 'WebSockets of one account open at a time at this process'),
  SOCKETS_PER_ADDRESS: int(
    1_000,
    1,
    1_000_000,
    'WebSockets of one address (an IPv6 network of /64) open at a time at this process, over all accounts; 50 of them without a token. Behind a proxy set TRUST_PROXY',
  ),
  STREAMS_PER_CALLER: int(50, 1, 1_000_000, 'Event streams of one account open at a time at this process'),
  STREAMS_PER_ADDRESS: int(
    1_000,
    1,
    1_000_000,
    'Event streams of one address open at a time at this process, over all accounts',
  ),
  TLS_CERT_FILE: optional('Certificate chain (PEM) for HTTPS by the process itself'),
  TLS_KEY_FILE: optional('Private key (PEM) for TLS_CERT_FILE'),
  TRUST_PROXY: {
    ...list(
      'Addresses or ranges (CIDR) of proxies that may set X-Forwarded-*, or loopback, linklocal, uniquelocal; default: nobody',
    ),
    parse: (t: string) => {
      const entries = listOf(t);
      return entries.every(isRangeOfProxies)
        ? entries
        : fail('addresses or ranges such as 10.20.1.0/28, separated by commas, and never all addresses (/0)');
    },
  },
  PARSER_URL: url(
    'Address of a Docling Serve or Apache Tika server that reads documents of PARSER_TYPES; what it does not read is read here',
  ),
  PARSER_KIND: oneOf(['docling', 'tika'], 'docling', 'What answers at PARSER_URL'),
  PARSER_TYPES: {
    ...list('Types of documents that are sent to PARSER_URL, for example pdf,docx,doc'),
    default: ['pdf'],
  },
  PARSER_API_KEY: secret('Key that is sent to PARSER_URL (X-Api-Key)'),
  OCR: oneOf(
    ['auto', 'off', 'force'],
    'auto',
    'Text recognition of pictures and PDF pages: auto for those that are pictures, force also for those that have text over a picture, off for none',
  ),
  OCR_LANGUAGES: {
    ...list(
      'Languages of text recognition by the names of Tesseract, the most likely first, for example deu,eng; eng comes with the server',
    ),
    default: ['eng'],
  },
  OCR_DATA_DIR: optional(
    'Folder of language data for text recognition that does not come with the server (deu.traineddata, also .gz)',
  ),
  SOFFICE_PATH: {
    ...optional(
      "LibreOffice's program (soffice), by which doc, xls and ppt are read; without it they are refused",
    ),
    parse: (t: string) => (t === '' ? null : existsSync(t) ? t : fail('the path of a program that is there')),
  },
  MAX_UPLOAD_BYTES: int(25 * 1024 * 1024, 1, 2 ** 31, 'Largest uploaded document in bytes'),
  UPLOAD_WAIT_S: int(
    10,
    0,
    300,
    'Seconds after which an upload is answered 202 and read on in the background, where its request does not say otherwise (Prefer: wait=N)',
  ),
  PARSER_MEMORY_MIB: int(256, 64, 65_536, 'Memory in MiB for the reading of one document'),
  PARSER_TIMEOUT_S: int(60, 1, 3_600, 'Seconds for the reading of one document, without text recognition'),
  AGENTS_FILE: optional(
    'YAML or JSON file that changes names, charters, models and instructions of the eleven agents',
  ),
  GOVERNANCE_FILE: optional('YAML or JSON file with thresholds, seats and tool policies of the Pentarchy'),
  MCP_CONFIG: optional('File with MCP servers in the shared mcpServers form'),
  MCP_ALLOW_STDIO: list(
    'Command lines that the API may start as stdio MCP servers, whole, comma-separated, each behind the tenant that may (`acme: npx -y some-server *`); without a tenant for platform administrators; `*` for a part of an argument, `**` for any further ones; default: none',
  ),
  MCP_BUILTIN: flag(true, 'Offer the built-in MCP servers (time, memory, files)'),
  CORS_ORIGINS: list('Origins that browsers may call from, comma-separated'),
  METRICS_TOKEN: secret('Bearer token that /metrics asks for; default: none is asked'),
  SHUTDOWN_LEAD_S: int(
    5,
    0,
    600,
    'Seconds after SIGTERM in which requests are still taken while /ready is 503, so that balancers look elsewhere first',
  ),
  SHUTDOWN_GRACE_S: int(30, 0, 3600, 'Seconds that running answers get after SIGTERM and SHUTDOWN_LEAD_S'),
  NODE_SILENCE_S: int(
    15,
    1,
    600,
    'Seconds without a sign of life after which the other nodes take a node for dead; the same on every node',
  ),
  WEBHOOK_ALLOW_PRIVATE: flag(
    false,
    'Let webhooks and other outgoing addresses be private, loopback or plain http (development)',
  ),
  TASK_CONCURRENCY: int(8, 1, 1_000, 'Task runs at once in this process'),
  TASKS_PER_TENANT: int(4, 1, 1_000, 'Task runs of one tenant at once, over all processes'),
  AGENT_TASKS_PER_HOUR: int(30, 0, 100_000, 'Tasks that agents may make for one person within an hour'),
  RETENTION_ARCHIVED_CONVERSATIONS_DAYS: days(
    0,
    'Days after which archived conversations are deleted with their messages and runs',
  ),
  RETENTION_UNLISTED_CONVERSATIONS_DAYS: days(
    0,
    'Days after which conversations of calls of /v1 that asked for no place in the list are deleted with their messages and runs',
  ),
  RETENTION_RUN_EVENTS_DAYS: days(
    0,
    'Days for which the events of finished runs can be replayed; messages, usage and costs stay',
  ),
  RETENTION_WEBHOOK_DELIVERIES_DAYS: days(30, 'Days for which finished webhook deliveries are kept'),
  RETENTION_NOTIFICATIONS_DAYS: days(90, 'Days for which notifications are kept'),
  CLIENT_DOWNLOADS: flag(
    true,
    'Hand out the packages of the clients (Python, TypeScript, Go) at /sdk/, without a sign-in',
  ),
  SHARE_LINKS: flag(
    false,
    'Let people share conversations by secret links, which whoever has them reads without signing in; off closes those that are there',
  ),
  SHARE_MAX_DAYS: int(90, 1, 3_650, 'Days that a shared conversation can be read for at the most'),
  ALLOW_SELF_APPROVAL: flag(false, 'Let a person decide on a proposal that they requested themselves'),
  SMTP_URL: {
    ...secret(
      'Mail server (smtp://user:password@host:port, or smtps:// where TLS begins with the connection); default: mails are kept in the development sink',
    ),
    parse: (t: string) => {
      if (t === '') return null;
      const address = URL.parse(t);
      return address !== null && /^smtps?:$/.test(address.protocol) && address.hostname !== ''
        ? t
        : fail('an address smtp://host:port or smtps://host:port');
    },
  },
  SMTP_TLS: oneOf(
    ['require', 'opportunistic', 'off'],
    'require',
    'Encryption of mail under smtp://: require sends nothing without STARTTLS and a valid certificate (a server on loopback excepted), opportunistic uses what the server offers, whatever its certificate, off is plain text. smtps:// is always encrypted, and its certificate must be valid',
  ),
  MAIL_FROM: text('Pentarch <pentarch@localhost>', 'Sender of mails'),
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'Least level that is logged',
  ),
  LOG_FORMAT: oneOf(
    ['pino', 'standard'],
    'pino',
    'Lines of the log: pino writes levels as numbers (30 is info) and times as epoch ms, standard names of levels and ISO 8601; a terminal gets readable text',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'OpenTelemetry collector for traces (OTLP by HTTP in protobuf, usually port 4318); default: none, and then nothing of it is loaded',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(
    'The whole address for traces, in place of OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces behind it',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret('Headers for the collector, as name=value, comma-separated'),
  OTEL_EXPORTER_OTLP_TIMEOUT: int(10_000, 1, 600_000, 'Longest wait for the collector in ms'),
  OTEL_BSP_SCHEDULE_DELAY: int(5_000, 1, 600_000, 'Longest wait of a span until it is sent in ms'),
  OTEL_SERVICE_NAME: text('pentarch', 'Name of the service in traces'),
  OTEL_RESOURCE_ATTRIBUTES: text('', 'Further attributes of the service, as name=value, comma-separated'),
  OTEL_TRACES_SAMPLER: oneOf(
    [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    'parentbased_always_on',
    'Which traces are recorded; parentbased: as the caller says where its request names a trace',
  ),
  OTEL_TRACES_SAMPLER_ARG: {
    ...decimal(1, 'Share of traces of the samplers by ratio, 0 to 1'),
    parse: (t: string) => (/^(0(\.\d+)?|1(\.0+)?)$/.test(t) ? Number(t) : fail('a number from 0 to 1')),
  },
  OTEL_SDK_DISABLED: flag(false, 'on sends no traces, whatever else is set'),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: flag(
    false,
    'Traces hold what people and models wrote, with secrets and personal data masked as far as rules find them',
  ),
} satisfies Record<string, Setting<unknown>>;

export type Config = { readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]['default'] };

export class ConfigError extends Error {}

const readFile = (file: string): Record<string, unknown> => {
  if (!existsSync(file)) return {};
  const parsed: unknown = parse(readFileSync(file, 'utf8'));
  if (parsed === null || parsed === undefined) return {};
  if (typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new ConfigError(`${path.basename(file)}: expected settings as NAME: value lines`);
  }
  for (const name of Object.keys(parsed)) {
    if (!Object.hasOwn(SETTINGS, name))
      throw new ConfigError(`${path.basename(file)}: unknown setting ${name}`);
  }
  return parsed as Record<string, unknown>;
};

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

/**
 * Settings from `environment` and, under it, the file `pentarch.yaml` in `folder`. Throws `ConfigError` with one line
 * for each fault: the setting, its value (secrets left out) and what would be right.
 */
export const loadConfig = (environment: Record<string, string | undefined>, folder: string): Config => {
  const file = readFile(path.join(folder, 'pentarch.yaml'));
  const faults: string[] = [];
  const result: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const given = environment[name] ?? (file[name] === undefined ? undefined : asText(file[name]));
    if (given === undefined) {
      result[name] = setting.default;
      continue;
    }
    try {
      result[name] = setting.parse(given.trim());
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error;
      faults.push(`${name}${setting.secret ? '' : `="${given}"`} is wrong: it must be ${error.message}`);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  const config = Object.freeze(result) as Config;
  checkTogether(config);
  return config;
};

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** What examples have in place of a secret. */
const EXAMPLE = /change-?me/i;

const checkTogether = (config: Config): void => {
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const value: unknown = config[name as keyof Config];
    if (setting.secret === true && typeof value === 'string' && EXAMPLE.test(value)) {
      throw new ConfigError(
        `${name} still has the text of the example in it (change-me): whoever has read the example knows it. Put a secret of your own there`,
      );
    }
  }
  if ((config.TLS_CERT_FILE === null) !== (config.TLS_KEY_FILE === null)) {
    throw new ConfigError('TLS_CERT_FILE and TLS_KEY_FILE must be set together');
  }
  if (config.IDP_URL !== null && config.IDP_CLIENT_SECRET === null) {
    throw new ConfigError(
      'IDP_URL needs IDP_CLIENT_SECRET: this API asks the provider about opaque tokens with it',
    );
  }
  if ((config.S3_ACCESS_KEY_ID === null) !== (config.S3_SECRET_ACCESS_KEY === null)) {
    throw new ConfigError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together');
  }
  if (config.S3_BUCKET === null && (config.S3_ENDPOINT !== null || config.S3_ACCESS_KEY_ID !== null)) {
    throw new ConfigError(
      'S3_ENDPOINT and S3_ACCESS_KEY_ID need S3_BUCKET: without it nothing is kept there',
    );
  }
  if (config.REDIS_URL !== null && config.DATABASE_URL === null) {
    throw new ConfigError(
      'REDIS_URL needs DATABASE_URL: several nodes share their records in PostgreSQL; one process on SQLite needs no Redis',
    );
  }
  if (config.PLATFORM_KEY !== null && config.PLATFORM_KEY.length < 32) {
    throw new ConfigError(
      'PLATFORM_KEY must have at least 32 characters, for example from: openssl rand -base64 32',
    );
  }
  if (config.PLATFORM_KEY_PREVIOUS !== null && config.PLATFORM_KEY === null) {
    throw new ConfigError(
      'PLATFORM_KEY_PREVIOUS needs PLATFORM_KEY: it is the one that PLATFORM_KEY takes the place of',
    );
  }
  const weak = config.ADMIN_PASSWORD !== null && config.ADMIN_PASSWORD.length < 12;
  if (!isLoopback(config.HOST) && weak) {
    throw new ConfigError(
      `HOST="${config.HOST}" is reachable from outside: ADMIN_PASSWORD must have at least 12 characters, or be left out so that one is generated`,
    );
  }
};

/** The address that clients are told: PUBLIC_URL, or what HOST and the real port give. */
export const publicUrl = (config: Config, port: number): string => {
  if (config.PUBLIC_URL !== null) return config.PUBLIC_URL;
  const host = config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : config.HOST;
  const scheme = config.TLS_CERT_FILE === null ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
};
