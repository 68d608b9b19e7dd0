import { readXml } from './xml.ts';

/** What reading needs of Word's styles (ECMA-376 part 1, 17.7), with what they inherit. */
export interface DocxStyle {
  /** 1–6 where paragraphs of the style are headings. */
  headingLevel: number | null;
  numId: string | null;
  listLevel: number | null;
  hidden: boolean;
}

interface RawStyle {
  name: string;
  basedOn: string | null;
  outline: number | null;
  numId: string | null;
  listLevel: number | null;
  /** Null: as the style says that it is based on. */
  hidden: boolean | null;
}

const PLAIN: DocxStyle = { headingLevel: null, numId: null, listLevel: null, hidden: false };
/** Styles inherit from one another; a circle of them ends here. */
const MAX_INHERITANCE = 20;

export const isOn = (attributes: Record<string, string>): boolean =>
  !/^(0|false|off|none)$/.test(attributes['w:val'] ?? '1');

/** Null: paragraphs that name no style. */
export function readStyles(xml: Uint8Array | null): (id: string | null) => DocxStyle {
  const styles = new Map<string, RawStyle>();
  let usual: string | null = null;
  let current: RawStyle | null = null;
  readXml(xml ?? '', {
    open(name, a, path) {
      if (name === 'w:style') {
        current = { name: '', basedOn: null, outline: null, numId: null, listLevel: null, hidden: null };
        styles.set(a['w:styleId'] ?? '', current);
        if (a['w:type'] === 'paragraph' && isOn({ 'w:val': a['w:default'] ?? '0' }))
          usual = a['w:styleId'] ?? '';
      }
      if (!current) return;
      const value = a['w:val'] ?? '';
      if (name === 'w:name') current.name = value.toLowerCase();
      if (name === 'w:basedOn') current.basedOn = value;
      if (name === 'w:outlineLvl') current.outline = Number(value);
      if (name === 'w:numId') current.numId = value;
      if (name === 'w:ilvl') current.listLevel = Number(value);
      if (name === 'w:vanish' && path.at(-2) === 'w:rPr') current.hidden = isOn(a);
    },
    close(name) {
      if (name === 'w:style') current = null;
    },
  });
  const resolved = new Map<string, DocxStyle>();

  function resolve(id: string | null, depth: number): DocxStyle {
    const raw = id === null ? undefined : styles.get(id);
    if (id === null || !raw || depth > MAX_INHERITANCE) return PLAIN;
    const known = resolved.get(id);
    if (known) return known;
    const base = resolve(raw.basedOn, depth + 1);
    const style: DocxStyle = {
      headingLevel: headingLevel(raw) ?? base.headingLevel,
      numId: raw.numId ?? base.numId,
      listLevel: raw.listLevel ?? base.listLevel,
      hidden: raw.hidden ?? base.hidden,
    };
    resolved.set(id, style);
    return style;
  }
  return (id) => resolve(id ?? usual, 0);
}

function headingLevel({ name, outline }: RawStyle): number | null {
  if (name === 'title') return 1;
  const level = /^heading (\d)$/.exec(name)?.[1];
  if (level) return Math.min(6, Number(level));
  return outline === null ? null : levelOfOutline(outline);
}

/** Outline levels count from 0; 9 is the body. Null: no heading. */
export const levelOfOutline = (outline: number): number | null =>
  Number.isInteger(outline) && outline >= 0 && outline < 9 ? Math.min(6, outline + 1) : null;
