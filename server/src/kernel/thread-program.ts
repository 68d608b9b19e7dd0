/**
 * The program of a worker thread (with `eval: true`), from sources or built. A thread does not inherit the compile cache of its
 * process, and without one the runtime loads its TypeScript stripper (14 MB, a quarter of a second) to read a few files.
 */
export const threadProgram = (module: URL): string =>
  `require('node:module').enableCompileCache(); import(${JSON.stringify(module.href)});`;
