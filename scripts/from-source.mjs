// Lets Node run the TypeScript sources as they are: their imports name the .js files that a build would make.
// `node --import ./scripts/from-source.mjs <file.ts>`, or imported before them.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('.') || !specifier.endsWith('.js')) return next(specifier, context);
    try {
      return next(`${specifier.slice(0, -3)}.ts`, context);
    } catch {
      return next(specifier, context);
    }
  },
});
