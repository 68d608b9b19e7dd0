/**
 * Starts the program from its sources. JavaScript, so that the compile cache is on before the first file of TypeScript is
 * read: else the runtime loads its stripper for `main.ts` alone, which stays in memory (some 15 MB) and takes its time.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./main.ts');
