import { Parser } from 'htmlparser2';
import { fail, LIMITS } from './fault.ts';

export interface XmlHandler {
  open(name: string, attributes: Record<string, string>, path: readonly string[]): void;
  text?(text: string, path: readonly string[]): void;
  close?(name: string, path: readonly string[]): void;
}

/** Bytes are decoded piece by piece, so that a large part never stands in memory as one string. */
const PIECE_BYTES = 65_536;

/** Streams XML through a handler; `path` holds the names of the open elements. Entities of a DTD are never expanded. */
export function readXml(xml: string | Uint8Array, handler: XmlHandler): void {
  const path: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        path.push(name);
        if (path.length > LIMITS.depth) fail('broken', 'the document is nested too deeply');
        handler.open(name, attributes, path);
      },
      ontext(text) {
        handler.text?.(text, path);
      },
      onclosetag(name) {
        handler.close?.(name, path);
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
