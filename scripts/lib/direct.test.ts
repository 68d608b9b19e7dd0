import { describe, expect, it } from 'vitest';
import { directFaults, packageOf, packagesIn } from './direct.ts';

describe('direct dependencies', () => {
  it('are found in every way in which a module is named', () => {
    const text = `import a from 'a';
import type { B } from "@b/b/deep";
export { c } from 'c';
import 'd/style.css';
const e = await import('e');
createRequire(import.meta.url).resolve('f/package.json');
path.join(ROOT, 'node_modules', '@g', 'g', 'bin');
import { readFile } from 'node:fs';
import { local } from './local.ts';`;
    expect([...packagesIn(text)].sort()).toEqual(['@b/b', '@g/g', 'a', 'c', 'd', 'e', 'f']);
    expect(packageOf('node:fs')).toBeNull();
    expect(packageOf('./x.ts')).toBeNull();
  });

  it('must be used in their own package, and stand in the document', () => {
    const sources = [
      { file: 'server/src/a.ts', text: "import pg from 'pg';" },
      { file: 'console/src/b.ts', text: "import { x } from 'left-pad';" },
    ];
    const manifests = [
      { folder: 'server', dependencies: ['pg', '@types/pg', 'left-pad', '@types/react', '@x/y'] },
    ];
    expect(directFaults(manifests, sources, '| pg, left-pad-more | @x/* |')).toEqual([
      'server/package.json: left-pad is not in docs/dependencies.md',
      'server/package.json: nothing uses left-pad',
      'server/package.json: nothing uses @types/react',
      'server/package.json: nothing uses @x/y',
    ]);
  });

  it('of the root may be used anywhere, or run as programs', () => {
    const manifests = [{ folder: '', dependencies: ['vitest', '@biomejs/biome', '@types/node'] }];
    const sources = [{ file: 'scripts/check.ts', text: "command: [bin('biome'), 'check']" }];
    expect(directFaults(manifests, sources, 'vitest, @biomejs/biome')).toEqual([
      'package.json: nothing uses vitest',
    ]);
  });
});
