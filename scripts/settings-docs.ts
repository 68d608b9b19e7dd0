import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SETTINGS } from '../server/src/config.ts';

/** `npm run docs` writes docs/reference/settings.md from the settings' own table; `--check` says whether it is fresh. */

const FILE = 'docs/reference/settings.md';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const shown = (value: unknown): string => {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  return `\`${String(value)}\``;
};

const rows = Object.entries(SETTINGS).map(([name, setting]) => {
  const secret = 'secret' in setting && setting.secret === true;
  return `| \`${name}\` | ${cell(shown(setting.default))} | ${cell(setting.about)}${secret ? ' (secret)' : ''} |`;
});

const text = `# Settings

<!-- Generated from server/src/config.ts by "npm run docs"; do not edit. -->

Every setting comes from the environment or from the file \`pentarch.yaml\` in the folder where the server is started; the
environment wins. They are checked at the start: a wrong one is named with what would be right. Times carry their unit in
the name (\`_S\` seconds, \`_MINUTES\`, \`_DAYS\`), sizes are in bytes; a switch takes \`on\` or \`off\`.

| setting | default | meaning |
|---|---|---|
${rows.join('\n')}
`;

const committed = (): string => {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return '';
  }
};

if (process.argv.includes('--check')) {
  const fresh = committed() === text;
  process.stdout.write(
    fresh ? `${rows.length} settings\n` : `${FILE} is stale: run "npm run docs" and commit it\n`,
  );
  process.exit(fresh ? 0 : 1);
}
mkdirSync('docs/reference', { recursive: true });
writeFileSync(FILE, text);
