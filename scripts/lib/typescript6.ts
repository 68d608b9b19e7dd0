import { registerHooks } from 'node:module';

/**
 * dependency-cruiser parses with the classic TypeScript API, which TypeScript 7 no longer has: with it, it reads no
 * module and reports success. Importing this first hands it TypeScript 6 (the alias `typescript6`) instead.
 */
registerHooks({
  resolve(specifier, context, next) {
    const asked = context.parentURL?.includes('/dependency-cruiser/') ?? false;
    const taken = asked && (specifier === 'typescript' || specifier === 'typescript/package.json');
    return next(taken ? specifier.replace('typescript', 'typescript6') : specifier, context);
  },
});
