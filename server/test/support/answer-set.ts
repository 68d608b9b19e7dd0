import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from './client.ts';
import { makeDocx, makePdf, makePptx, makeXlsx } from './documents.ts';

/**
 * Documents and questions that measure answers (bench/data/answers). Each source `NAME.TYPE.txt` becomes a real file of
 * its type. In sources of paged types `---` stands between pages, slides and sheets; ` | ` between cells.
 */
export type Half = 'tuning' | 'reporting';

export interface AnswerQuestion {
  text: string;
  /** File name of the document that answers; null where none does. */
  document: string | null;
  /** Page or slide; null for types without. */
  page: number | null;
  /** Words that the answer must hold. */
  fact: string;
}

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'bench', 'data', 'answers');
const LINE_CHARACTERS = 84;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const wrap = (line: string): string[] => {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + word.length + 1 > LINE_CHARACTERS) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
};

const pagesOf = (source: string): string[][] =>
  source
    .trim()
    .split(/\n---\n/)
    .map((page) => page.trim().split('\n'));

const cellsOf = (line: string): string[] => line.split(' | ').map((cell) => cell.trim());

const docxOf = (source: string): Uint8Array => {
  const paragraph = (text: string, style = ''): string =>
    `<w:p>${style}<w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p>`;
  const heading = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>';
  let body = '';
  let rows = '';
  for (const line of source.trim().split('\n')) {
    if (line.includes(' | ')) {
      rows += `<w:tr>${cellsOf(line)
        .map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`)
        .join('')}</w:tr>`;
      continue;
    }
    if (rows !== '') body += `<w:tbl>${rows}</w:tbl>`;
    rows = '';
    body += line.startsWith('# ') ? paragraph(line.slice(2), heading) : paragraph(line);
  }
  return makeDocx(rows === '' ? body : `${body}<w:tbl>${rows}</w:tbl>`);
};

const cell = (text: string): string =>
  /^\d+(?:\.\d+)?$/.test(text)
    ? `<c><v>${text}</v></c>`
    : `<c t="inlineStr"><is><t>${escapeXml(text)}</t></is></c>`;

const xlsxOf = (source: string): Uint8Array =>
  makeXlsx(
    pagesOf(source).map(([name = '', ...lines]) => ({
      name,
      rows: lines.map((line, i) => `<row r="${i + 1}">${cellsOf(line).map(cell).join('')}</row>`).join(''),
    })),
  );

const pptxOf = (source: string): Uint8Array =>
  makePptx(
    pagesOf(source).map(([title = '', ...lines]) => {
      const notes = lines.find((line) => line.startsWith('Notes: '))?.slice('Notes: '.length);
      const body = lines.filter((line) => !line.startsWith('Notes: ')).map(escapeXml);
      return {
        shapes: [
          ['title', escapeXml(title)],
          ['body', body.join('\n')],
        ],
        ...(notes === undefined ? {} : { notes: escapeXml(notes) }),
      };
    }),
  );

/** The file's bytes by the ending of its name. */
const build = (name: string, source: string): Uint8Array => {
  if (name.endsWith('.pdf')) return makePdf(pagesOf(source).map((lines) => lines.flatMap(wrap)));
  if (name.endsWith('.docx')) return docxOf(source);
  if (name.endsWith('.pptx')) return pptxOf(source);
  if (name.endsWith('.xlsx')) return xlsxOf(source);
  return Buffer.from(source);
};

export const answerFiles = (half: Half): { name: string; bytes: Uint8Array }[] =>
  readdirSync(path.join(FOLDER, half))
    .sort()
    .map((file) => {
      const name = file.replace(/\.txt$/, '');
      return { name, bytes: build(name, readFileSync(path.join(FOLDER, half, file), 'utf8')) };
    });

export const answerQuestions = (half: Half): AnswerQuestion[] =>
  readFileSync(path.join(FOLDER, `${half}.tsv`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [document = '-', page = '-', text = '', fact = ''] = line.split('\t');
      return {
        text,
        document: document === '-' ? null : document,
        page: page === '-' ? null : Number(page),
        fact,
      };
    });

/** Uploads the files; ids by file name. Throws where one is refused. */
export const uploadAnswerFiles = async (
  url: string,
  token: string,
  files: readonly { name: string; bytes: Uint8Array }[],
): Promise<Map<string, string>> => {
  const ids = new Map<string, string>();
  for (const file of files) {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(file.bytes)]), file.name);
    const answer = await fetch(`${url}/api/v1/knowledge/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    if (answer.status !== 201) throw new Error(`${file.name}: ${answer.status} ${await answer.text()}`);
    const made = (await answer.json()) as { id: string };
    ids.set(file.name, made.id);
  }
  return ids;
};

export interface Judged {
  question: AnswerQuestion;
  content: string;
  agentId: string;
  /** The answer holds the fact. */
  fact: boolean;
  /** A citation names the document and page, and its quote holds the fact. For an unanswerable one: there is none, or it is said first that nothing answers. */
  citation: boolean;
}

interface ChatAnswer {
  content: string;
  agent_id: string;
  citations: { document_id: string; page: number | null; quote: string }[];
}

const holds = (text: string, fact: string): boolean =>
  text.replace(/\s+/g, ' ').toLowerCase().includes(fact.toLowerCase());

/** Quotes what comes closest, and says before that it is no answer. */
const REFUSES = /^I found no sentence that answers this/;

/** Asks in a conversation of its own. */
export const judge = async (
  client: Client,
  question: AnswerQuestion,
  ids: ReadonlyMap<string, string>,
): Promise<Judged> => {
  const answer = await client.post('/api/v1/chat', { message: question.text });
  if (answer.status !== 200) throw new Error(`${question.text}: ${answer.status} ${answer.text}`);
  const said = answer.json<ChatAnswer>();
  const base = { question, content: said.content, agentId: said.agent_id };
  if (question.document === null)
    return { ...base, fact: true, citation: said.citations.length === 0 || REFUSES.test(said.content) };
  const id = ids.get(question.document);
  return {
    ...base,
    fact: holds(said.content, question.fact),
    citation: said.citations.some(
      (c) =>
        c.document_id === id &&
        (question.page === null || c.page === question.page) &&
        holds(c.quote, question.fact),
    ),
  };
};
