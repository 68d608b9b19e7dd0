import { CATALOGUE, type CatalogueEntry } from './catalogue.ts';

/** What a person named: a model of the list, a file or folder at the hub, or any address. */
export type Source =
  | { from: 'catalogue'; entry: CatalogueEntry }
  | { from: 'hub'; repo: string; file: string | null }
  | { from: 'address'; url: URL };

export class SourceError extends Error {}

/** Names of models are names of files: nothing that leads out of the folder, and nothing hidden. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const REPO_PART = /^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$/;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isModelName = (name: string): boolean => NAME.test(name) && !name.includes('..');

/** Whether bytes from there are what the other side sent: without TLS only on this machine. */
export const isSafeAddress = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));

const hubSource = (text: string): Source => {
  const [owner = '', name = '', ...rest] = text.split('/');
  const file = rest.join('/');
  if (!REPO_PART.test(owner) || !REPO_PART.test(name))
    throw new SourceError(`hf:${text} must be hf:owner/repository/file.gguf, or hf:owner/repository`);
  if (file === '') return { from: 'hub', repo: `${owner}/${name}`, file: null };
  if (!file.endsWith('.gguf') || rest.some((part) => !REPO_PART.test(part)))
    throw new SourceError(`hf:${text} names no .gguf file`);
  return { from: 'hub', repo: `${owner}/${name}`, file };
};

const addressSource = (text: string): Source => {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new SourceError(`${text} is no address`);
  }
  if (!isSafeAddress(url)) throw new SourceError('the address must begin with https://');
  if (url.username !== '' || url.password !== '')
    throw new SourceError('the address must hold no name or password');
  if (!url.pathname.endsWith('.gguf')) throw new SourceError('the address must end in .gguf');
  return { from: 'address', url };
};

/** Throws `SourceError` with what would do. */
export const sourceOf = (text: string): Source => {
  if (text.startsWith('hf:')) return hubSource(text.slice('hf:'.length));
  if (text.includes('://')) return addressSource(text);
  const entry = CATALOGUE.find(({ name }) => name === text);
  if (entry !== undefined) return { from: 'catalogue', entry };
  throw new SourceError(
    `there is no model ${text} in the list (${CATALOGUE.map(({ name }) => name).join(', ')}); hf:owner/repository/file.gguf and https://….gguf do as well`,
  );
};

const lastPart = (path: string): string => path.split('/').at(-1) ?? path;

/** What the model is called on this machine unless a person says otherwise. */
export const defaultName = (source: Source): string => {
  if (source.from === 'catalogue') return source.entry.name;
  if (source.from === 'hub') return lastPart(source.file ?? source.repo).replace(/\.gguf$/, '');
  return lastPart(decodeURIComponent(source.url.pathname)).replace(/\.gguf$/, '');
};

/** As it is told and recorded: signatures of addresses that run out are nobody's business later. */
export const sourceText = (source: Source): string => {
  if (source.from === 'catalogue')
    return `hf:${source.entry.repo}${source.entry.file === null ? '' : `/${source.entry.file}`}`;
  if (source.from === 'hub') return `hf:${source.repo}${source.file === null ? '' : `/${source.file}`}`;
  return `${source.url.origin}${source.url.pathname}`;
};
