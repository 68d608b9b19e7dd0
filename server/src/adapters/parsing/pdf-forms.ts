import type { LeftOutCount } from './left-out.ts';
import type { PdfPage } from './pdf-open.ts';
import { MIN_SIZE_PT, type PdfRun } from './pdf-run.ts';

/** What was filled in or written onto a page: values of form fields and text of comments that stand on the paper. */

interface Annotation {
  subtype?: unknown;
  fieldType?: unknown;
  fieldValue?: unknown;
  exportValue?: unknown;
  buttonValue?: unknown;
  checkBox?: unknown;
  radioButton?: unknown;
  pushButton?: unknown;
  password?: unknown;
  hidden?: unknown;
  noView?: unknown;
  rect?: unknown;
  options?: unknown;
  textContent?: unknown;
  textPosition?: unknown;
  contentsObj?: { str?: unknown };
  defaultAppearanceData?: { fontSize?: unknown };
}

/** Bits of `F`: the reader of the paper does not see these (hidden, no view). */
const UNSEEN = 2 | 32;
const MAX_SIZE_PT = 12;

export async function readFilledIn(page: PdfPage, leftOut: LeftOutCount): Promise<PdfRun[]> {
  const found = (await page.getAnnotations()) as (Annotation & { annotationFlags?: number })[];
  return found
    .filter((one) => ((one.annotationFlags ?? 0) & UNSEEN) === 0 && one.hidden !== true)
    .flatMap((one) => {
      if (one.subtype === 'Widget') return fieldRuns(one);
      if (isBeside(one)) leftOut.add('comments');
      return noteRuns(one);
    });
}

function fieldRuns(field: Annotation): PdfRun[] {
  if (field.password === true || field.pushButton === true) return [];
  if (field.fieldType === 'Btn') {
    const on = field.checkBox === true ? field.exportValue : field.buttonValue;
    const checked = typeof on === 'string' && on !== 'Off' && field.fieldValue === on;
    return runAt(field, [checked ? '☒' : '☐']);
  }
  if (field.fieldType !== 'Tx' && field.fieldType !== 'Ch') return [];
  const value = shownValue(field);
  return value === '' ? [] : runAt(field, [value]);
}

/** The value as the form names it to its reader. */
function shownValue({ fieldValue, options, textContent }: Annotation): string {
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
    (one): one is string => typeof one === 'string',
  );
  const names = values.map((value) => {
    const option = (Array.isArray(options) ? options : []).find(
      (one: { exportValue?: unknown }) => one.exportValue === value,
    ) as { displayValue?: unknown } | undefined;
    return typeof option?.displayValue === 'string' ? option.displayValue : value;
  });
  const text = tidyLines(names).join(', ');
  // A field may have an appearance without a value.
  return text === '' && Array.isArray(textContent) ? tidyLines(textContent).join(' ') : text;
}

const tidyLines = (lines: readonly unknown[]): string[] =>
  lines.map((line) => String(line).replace(/\s+/g, ' ').trim()).filter((line) => line !== '');

/** Something said of the page that is not on it; what a link says is its address. */
const isBeside = ({ subtype, contentsObj }: Annotation): boolean =>
  !['FreeText', 'Stamp', 'Popup', 'Link'].includes(String(subtype)) &&
  typeof contentsObj?.str === 'string' &&
  contentsObj.str.trim() !== '';

/** Text typed onto the page, and stamps with words; comments beside it are no part of the paper. */
function noteRuns(note: Annotation): PdfRun[] {
  if (note.subtype !== 'FreeText' && note.subtype !== 'Stamp') return [];
  const drawn = Array.isArray(note.textContent) ? tidyLines(note.textContent) : [];
  const written = typeof note.contentsObj?.str === 'string' ? note.contentsObj.str : '';
  return runAt(
    note,
    drawn.length > 0 || note.subtype === 'Stamp' ? drawn : tidyLines(written.split(/[\r\n]+/)),
  );
}

function runAt({ rect, textPosition, defaultAppearanceData }: Annotation, lines: string[]): PdfRun[] {
  const [left = 0, bottom = 0, right = 0, top = 0] = Array.isArray(rect) ? (rect as number[]) : [];
  if (right - left < 1 || top - bottom < 1) return [];
  const set = Number(defaultAppearanceData?.fontSize) || MAX_SIZE_PT;
  const size = Math.max(MIN_SIZE_PT, Math.min(set, MAX_SIZE_PT, (top - bottom) * 0.7));
  const inset = Array.isArray(textPosition) ? Number(textPosition[1]) || 0 : 0;
  const single = top - bottom < size * 2.4;
  const first = single
    ? bottom + (inset > 0 && inset < top - bottom ? inset : (top - bottom) * 0.25)
    : top - size;
  return lines.map((text, i) => ({
    text,
    x: left,
    end: Math.min(right, left + text.length * size * 0.5),
    y: first - i * size * 1.2,
    size,
    frame: 0,
    rtl: false,
  }));
}
