import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The examples of a client's README, as they stand there, with the address and key of a started server put in. */
export const readmeExamples = (
  language: 'typescript' | 'python' | 'go',
  server: { url: string; key: string },
): string[] => {
  const fence = { typescript: 'ts', python: 'python', go: 'go' }[language];
  const text = readFileSync(path.join(import.meta.dirname, language, 'README.md'), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${fence}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => {
    const put = code.replaceAll('http://localhost:8080', server.url).replaceAll('ptk_…', server.key);
    if (put === code) throw new Error(`an example of ${language} names no server: ${code}`);
    return put;
  });
};
