import { Parser } from 'htmlparser2';
import { fail, LIMITS } from './fault.ts';

export interface XmlHandler {
  open(name: string, attributes: Record<string, string>, path: readonly string[]): void;
  text?(text: string, path: readonly string[]): void;
  close?(name: string, path: readonly string[]): void;
}

/** Prefixes under which this reader knows the namespaces of office files; their writers may choose others. */
const PREFIXES = new Map(
  Object.entries({
    'wordprocessingml/2006/main': 'w',
    'wordprocessingml/main': 'w',
    'spreadsheetml/2006/main': '',
    'spreadsheetml/main': '',
    'presentationml/2006/main': 'p',
    'presentationml/main': 'p',
    'drawingml/2006/main': 'a',
    'drawingml/main': 'a',
    'drawingml/2006/chart': 'c',
    'drawingml/chart': 'c',
    'drawingml/2006/diagram': 'dgm',
    'drawingml/diagram': 'dgm',
    'drawingml/2006/spreadsheetDrawing': 'xdr',
    'drawingml/spreadsheetDrawing': 'xdr',
    'officeDocument/2006/relationships': 'r',
    'officeDocument/relationships': 'r',
    'officeDocument/2006/math': 'm',
    'officeDocument/math': 'm',
  }).flatMap(([path, prefix]): [string, string][] => [
    [`http://schemas.openxmlformats.org/${path}`, prefix],
    [`http://purl.oclc.org/ooxml/${path}`, prefix],
  ]),
);

for (const name of 'office text table draw style presentation meta number chart form'.split(' '))
  PREFIXES.set(`urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`, name);
PREFIXES.set('urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0', 'number');
PREFIXES.set('http://www.w3.org/1999/xlink', 'xlink');
PREFIXES.set('http://purl.org/dc/elements/1.1/', 'dc');

/** Names as the readers know them; the usual case, in which nothing is renamed, costs nothing. */
function createRenaming() {
  const renamed = new Map<string, string>();
  const rename = (name: string, isAttribute: boolean): string => {
    const colon = name.indexOf(':');
    if (colon < 0 && isAttribute) return name;
    const prefix = renamed.get(colon < 0 ? '' : name.slice(0, colon));
    if (prefix === undefined) return name;
    return prefix === '' ? name.slice(colon + 1) : `${prefix}:${name.slice(colon + 1)}`;
  };
  return {
    learn(attributes: Record<string, string>) {
      for (const [name, uri] of Object.entries(attributes)) {
        if (!name.startsWith('xmlns')) continue;
        const known = PREFIXES.get(uri);
        const own = name.slice(6);
        if (known !== undefined && known !== own) renamed.set(own, known);
      }
    },
    element: (name: string) => (renamed.size === 0 ? name : rename(name, false)),
    attributes: (attributes: Record<string, string>) =>
      renamed.size === 0
        ? attributes
        : Object.fromEntries(Object.entries(attributes).map(([name, value]) => [rename(name, true), value])),
  };
}

/** Bytes are decoded piece by piece, so that a large part never stands in memory as one string. */
const PIECE_BYTES = 65_536;

/** Streams XML through a handler; `path` holds the names of the open elements. Entities of a DTD are never expanded. */
export function readXml(xml: string | Uint8Array, handler: XmlHandler): void {
  const path: string[] = [];
  const names = createRenaming();
  const parser = new Parser(
    {
      onopentag(written, attributes) {
        names.learn(attributes);
        const name = names.element(written);
        path.push(name);
        if (path.length > LIMITS.depth) fail('broken', 'the document is nested too deeply');
        handler.open(name, names.attributes(attributes), path);
      },
      ontext(text) {
        handler.text?.(text, path);
      },
      onclosetag(written) {
        handler.close?.(names.element(written), path);
        path.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  if (typeof xml === 'string') return parser.end(xml);
  const decoder = new TextDecoder(xml[0] === 0xff && xml[1] === 0xfe ? 'utf-16le' : 'utf-8');
  for (let at = 0; at < xml.byteLength; at += PIECE_BYTES)
    parser.write(decoder.decode(xml.subarray(at, at + PIECE_BYTES), { stream: true }));
  parser.end(decoder.decode());
}

/** Relationships of an office part: id → {type, target as a path within the archive}. */
export function readRelations(
  xml: string | null,
  folder: string,
): Map<string, { type: string; target: string }> {
  const relations = new Map<string, { type: string; target: string }>();
  readXml(xml ?? '', {
    open(name, a) {
      if (name !== 'Relationship' || !a.Id || !a.Target || a.TargetMode === 'External') return;
      const type = a.Type?.split('/').at(-1) ?? '';
      const url = new URL(a.Target, `zip:///${folder}/`);
      relations.set(a.Id, { type, target: decodeURIComponent(url.pathname).replace(/^\/+/, '') });
    },
  });
  return relations;
}
