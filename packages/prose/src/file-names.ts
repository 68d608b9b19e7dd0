/** Endings of the documents that the platform reads, and of files that people try to have read. */
const ENDINGS =
  'pdf|docx?|pptx?|xlsx?|odt|ods|odp|rtf|html?|md|markdown|txt|text|csv|tsv|jsonl?|xml|eml|msg|epub|pages|key|numbers|png|jpe?g|gif|tiff?|heic|svg|zip|rar|7z|mp3|mp4|mov|wav';
const QUOTED = new RegExp(`["“„«'‘]([^"“”„«»'‘’\\n]{1,120}\\.(?:${ENDINGS}))["”“»'’]`, 'giu');
const BARE = new RegExp(
  `(?<![\\p{L}\\p{N}._/-])([\\p{L}\\p{N}][\\p{L}\\p{N}._-]{0,120}\\.(?:${ENDINGS}))(?![\\p{L}\\p{N}_/-])`,
  'giu',
);

/** Names of files that a text speaks of, in its order: with a known ending, in quotes also with blanks. */
export const fileNamesIn = (text: string): string[] => {
  const quoted = [...text.matchAll(QUOTED)].map((match) => (match[1] ?? '').trim());
  const rest = text.replaceAll(QUOTED, ' ');
  const bare = [...rest.matchAll(BARE)].map((match) => match[1] ?? '');
  return [...new Set([...quoted, ...bare])];
};

/** For somebody who asks about a file that is not among their documents. */
export const noSuchFile = (name: string): string =>
  `There is no document “${name}” that you can read. A file that cannot be read is refused when it is uploaded, with the reason, and nothing of it is kept.`;
