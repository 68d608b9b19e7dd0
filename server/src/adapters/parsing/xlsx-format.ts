import { readXml } from './xml.ts';

/** Built-in formats that this reader treats specially (ECMA-376 part 1, 18.8.30). */
const BUILTIN: Record<number, string> = {
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm',
  19: 'h:mm:ss',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss',
};

/** The format code of each cell style, by its index. */
export function readNumberFormats(xml: string | null): string[] {
  const own = new Map<number, string>();
  const formats: string[] = [];
  readXml(xml ?? '', {
    open(name, a, path) {
      if (name === 'numFmt') own.set(Number(a.numFmtId), a.formatCode ?? '');
      if (name === 'xf' && path.at(-2) === 'cellXfs') {
        const id = Number(a.numFmtId ?? 0);
        formats.push(
          own.get(id) ?? BUILTIN[id] ?? (id >= 27 && id <= 58 && id !== 48 && id !== 49 ? 'yyyy-mm-dd' : ''),
        );
      }
    },
  });
  return formats;
}

/** A stored number as its reader sees it: dates in ISO 8601, percentages with their sign, other numbers plain. */
export function formatCell(raw: string, format: string, date1904: boolean): string {
  const value = Number(raw);
  if (raw.trim() === '' || !Number.isFinite(value)) return raw;
  // Literal text and colours are no format letters.
  const code = (format.split(';')[0] ?? '')
    .replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_./gi, '')
    .toLowerCase();
  if (/[ymdhs]/.test(code) && !code.includes('general')) return formatDate(value, code, date1904);
  if (code.includes('%')) return `${trimmed(value * 100)}%`;
  const { before, after, scale } = unitOf(format.split(';')[0] ?? '');
  return `${before}${trimmed(value / scale)}${after}`;
}

/** What a format writes around its number (`0.0" kg"`, `[$€-407]`), and by what it shortens it (`0,` for thousands). */
function unitOf(format: string): { before: string; after: string; scale: number } {
  const code = format
    .replace(/\[\$([^\]-]*)[^\]]*\]/g, '"$1"')
    .replace(/\[[^\]]*\]|[_*]./g, '')
    .replace(/general/i, '0');
  const literal = (part: string) =>
    part.replace(
      /"([^"]*)"|\\(.)|([^"\\])/g,
      (_, quoted?: string, escaped?: string, plain?: string) => quoted ?? escaped ?? plain ?? '',
    );
  const masked = code.replace(/"[^"]*"|\\./g, (part) => ' '.repeat(part.length));
  const first = masked.search(/[#0?]/);
  if (first < 0) return { before: '', after: '', scale: 1 };
  const end = masked.length - ([...masked].reverse().findIndex((char) => /[#0?]/.test(char)) || 0);
  const commas = /^,*/.exec(masked.slice(end))?.[0].length ?? 0;
  const [before, after] = [literal(code.slice(0, first)), literal(code.slice(end + commas))];
  const isUnit = (text: string) => /[\p{L}\p{Sc}°]/u.test(text);
  return {
    before: isUnit(before) ? before.trimStart() : '',
    after: isUnit(after) ? after.trimEnd() : '',
    scale: 1000 ** commas,
  };
}

/** Binary floats as their 15 significant digits, which is what the application shows. */
export const trimmed = (value: number): string => String(Number(value.toPrecision(15)));

function formatDate(serial: number, code: string, date1904: boolean): string {
  if (/\[[hms]+\]/.test(code)) return duration(serial);
  const hasDate = /[yd]/.test(code) || (code.includes('m') && !/[hs]/.test(code));
  const hasTime = /[hs]/.test(code);
  // The 1900 system counts a 29 February 1900 that never was.
  const days = date1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial;
  const date = new Date(Math.round((days - 25_569) * 86_400) * 1000);
  if (Number.isNaN(date.getTime())) return String(serial);
  const iso = date.toISOString();
  const time = iso.slice(11, 19);
  if (!hasDate) return time;
  return hasTime || time !== '00:00:00' ? `${iso.slice(0, 10)} ${time}` : iso.slice(0, 10);
}

function duration(days: number): string {
  const seconds = Math.round(days * 86_400);
  const pad = (n: number) => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
}
