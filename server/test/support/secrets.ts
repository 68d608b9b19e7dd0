/**
 * Everything secret that goes to or comes from a server under test, so that its log can be searched for it: passwords,
 * tokens, keys and secrets of bodies, forms and headers. What tests send by `fetch` is seen by itself.
 */
export interface SecretWatch {
  readonly secrets: ReadonlySet<string>;
  /** Notes what a body or header holds. */
  note(value: unknown): void;
  /** Throws where the text holds one of them; says which kind of line, never more than the secret's head. */
  assertNoneIn(text: string): void;
  /** No longer looks at what goes to the server. */
  end(): void;
}

/** Names under which the contract, OAuth and MCP carry what only one party may know. */
const SECRET_NAME =
  /^(password|new_password|current_password|(access_|refresh_|id_|csrf_)?token|api_?key|key|keyDetails|(client_|webhook_)?secret|client_assertion|assertion|code_verifier|code|authorization)$/i;
const CREDENTIAL = /^(?:bearer|basic)\s+(\S{12,})$/i;
/** The random part of the address of an invitation or a reset. */
const LINK_NAME = /_url$/;
const LINK_SECRET = /[A-Za-z0-9_-]{32,}/g;
/** Shorter ones are words of tests (`"key": "color"`), and could stand in any line by chance. */
const LEAST_CHARACTERS = 12;

/** Neither the name of a thing nor that of an error (`"code": "TOKEN_EXPIRED"`). */
const looksRandom = (text: string): boolean =>
  text.includes(' ') || !(/^[a-z][a-z._-]*$/.test(text) || /^[A-Z][A-Z_]*$/.test(text));

const collect = (value: unknown, into: Set<string>, name = ''): void => {
  if (typeof value === 'string') {
    const credential = CREDENTIAL.exec(value)?.[1];
    if (credential !== undefined) into.add(credential);
    else if (SECRET_NAME.test(name) && value.length >= LEAST_CHARACTERS && looksRandom(value))
      into.add(value);
    else if (LINK_NAME.test(name)) for (const match of value.match(LINK_SECRET) ?? []) into.add(match);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, into, name);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) collect(item, into, key);
  }
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.includes('=') ? Object.fromEntries(new URLSearchParams(text)) : null;
  }
};

/** By origin of the server. */
const watched = new Map<string, SecretWatch>();
const plainFetch = globalThis.fetch;

const originOf = (input: Parameters<typeof fetch>[0]): string => {
  const url = input instanceof Request ? input.url : String(input);
  return URL.canParse(url) ? new URL(url).origin : '';
};

const isReadable = (response: Response): boolean =>
  /^application\/json/.test(response.headers.get('content-type') ?? '');

const observed: typeof fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const watch = watched.get(originOf(input));
  if (watch === undefined) return response;
  watch.note(Object.fromEntries(new Headers(init?.headers)));
  const body = init?.body;
  if (typeof body === 'string') watch.note(parsed(body));
  else if (body instanceof URLSearchParams) watch.note(Object.fromEntries(body));
  if (isReadable(response)) {
    // A client that hangs up cuts its copy off too.
    await response
      .clone()
      .text()
      .then((text) => watch.note(parsed(text)))
      .catch(() => {});
  }
  return response;
};

/** Watches what goes to the server from now on. */
export const watchSecrets = (url: string): SecretWatch => {
  globalThis.fetch = observed;
  const secrets = new Set<string>();
  const { origin } = new URL(url);
  const watch: SecretWatch = {
    secrets,
    note: (value) => collect(value, secrets),
    assertNoneIn(text) {
      for (const secret of secrets) {
        const at = text.indexOf(secret);
        if (at < 0) continue;
        const line = text.slice(text.lastIndexOf('\n', at) + 1, at);
        throw new Error(`the log holds a secret: ${line.slice(-200)}${secret.slice(0, 6)}…`);
      }
    },
    end: () => void watched.delete(origin),
  };
  watched.set(origin, watch);
  return watch;
};
