#!/usr/bin/env node
// Plain JavaScript, so that any Node can read it and say what is missing.
import process from 'node:process';

const MIN_NODE = 24;
if (Number(process.versions.node.split('.')[0]) < MIN_NODE) {
  process.stderr.write(`pentarch needs Node.js ${MIN_NODE} or newer; this is ${process.version}.\n`);
  process.exit(1);
}
await import('../dist/main.js');
