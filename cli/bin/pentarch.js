#!/usr/bin/env node
// Plain JavaScript, so that any Node can read it: the sources beside it need Node 24, which npm has put into node_modules.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const MIN_NODE = 24;
const main = path.join(
  import.meta.dirname ?? path.dirname(fileURLToPath(import.meta.url)),
  '..',
  'src',
  'main.ts',
);

/** The runtime that the package `node` brought; null where it is not installed. */
const ownNode = () => {
  try {
    const folder = path.dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const file = path.join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(file) ? file : null;
  } catch {
    return null;
  }
};

if (Number(process.versions.node.split('.')[0]) >= MIN_NODE) {
  await import(main);
} else {
  const node = ownNode();
  if (node === null) {
    process.stderr.write(
      `pentarch needs Node.js ${MIN_NODE}; this is ${process.version}. "npm ci" installs it.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C reaches the child by itself (same group of processes); this one waits for its end.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('close', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}
