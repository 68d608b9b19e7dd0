import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';

/**
 * The docs site (`npm run docs:site`): the pages of docs/ and the clients' READMEs as they stand, in the order in which one
 * needs them. It is built into docs/.vitepress/dist; a dead link fails the build, and no page asks another host for anything:
 * fonts of its own, and a search that runs in the page itself.
 */

const ROOT = path.join(import.meta.dirname, '..', '..');
const DOCS = path.join(ROOT, 'docs');

interface Item {
  text: string;
  link: string;
}

/** A page of docs/ under its own first heading. */
const page = (name: string, text?: string): Item => {
  const heading = /^# (.+)$/m.exec(readFileSync(path.join(DOCS, `${name}.md`), 'utf8'))?.[1];
  return { text: text ?? heading ?? name, link: `/${name}` };
};

const decisions = readdirSync(path.join(DOCS, 'decisions'))
  .filter((file) => file.endsWith('.md'))
  .sort()
  .map((file) => page(`decisions/${file.slice(0, -'.md'.length)}`));

const sidebar = [
  { text: 'Start', items: [{ text: 'What it is', link: '/' }, page('agents'), page('console')] },
  {
    text: 'Use',
    items: [
      page('conversations'),
      page('knowledge', 'Documents and search'),
      page('memory'),
      page('mcp'),
      page('tasks'),
      page('governance', 'Governance'),
      page('costs'),
      page('events'),
      page('openai'),
      page('anthropic'),
      page('a2a'),
      page('clients'),
      page('cli'),
    ],
  },
  {
    text: 'Operate',
    items: [
      page('operations'),
      page('cluster'),
      page('security'),
      page('routing'),
      page('local-models'),
      page('performance', 'Performance'),
      page('evidence'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('contract', 'Contract'),
      page('glossary'),
      page('reference/settings'),
      { text: 'TypeScript client', link: '/sdk/typescript/README' },
      { text: 'Python client', link: '/sdk/python/README' },
      { text: 'Go client', link: '/sdk/go/README' },
      page('reference/clients-typescript', 'TypeScript: all methods'),
      page('reference/clients-python', 'Python: all methods'),
      page('reference/clients-go', 'Go: all methods'),
      page('dependencies', 'Dependencies'),
      page('read-pentarch'),
    ],
  },
  { text: 'Decisions', collapsed: true, items: decisions },
];

/** Every page in the sidebar, so that none is built that nobody finds. */
const listed = sidebar.flatMap(({ items }) => items.map(({ link }) => link.slice(1)));
const missing = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !file.startsWith('.vitepress'))
  .map((file) => file.slice(0, -'.md'.length).replaceAll(path.sep, '/'))
  .filter((name) => name !== 'index' && !listed.includes(name));
if (missing.length > 0) throw new Error(`not in the sidebar of the docs site: ${missing.join(', ')}`);

export default defineConfig({
  title: 'Pentarch',
  description: 'A self-hosted agent platform: eleven AI agents behind one API',
  lang: 'en',
  srcDir: '..',
  srcExclude: ['*.md', '!(docs|sdk)/**'],
  rewrites: { 'docs/:rest*': ':rest*' },
  ignoreDeadLinks: false,
  markdown: {
    // Pages are written for any reader of Markdown: what looks like a tag is text.
    html: false,
    config: (md) => {
      // Pages of docs/ stand at the root of the site, the others where they are.
      md.core.ruler.push('docs_at_root', ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet('href');
          if (token.type === 'link_open' && href !== null) {
            token.attrSet('href', href.replace(/^(\.\.\/)+docs\//, '/').replace(/^(\.\.\/)+sdk\//, '/sdk/'));
          }
        }
      });
    },
  },
  // The compiler of this generator is older than the target in our tsconfig, which is not for it.
  vite: { esbuild: { tsconfigRaw: {} } },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/' },
      { text: 'Operate', link: '/operations' },
      { text: 'Settings', link: '/reference/settings' },
      { text: 'Command line', link: '/cli' },
    ],
  },
});
