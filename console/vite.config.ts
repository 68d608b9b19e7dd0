import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev -w console` serves the sources and passes the API on to a server on PENTARCH_URL. */
const target = process.env.PENTARCH_URL ?? 'http://127.0.0.1:8080';
const proxy = Object.fromEntries(
  ['/api', '/v2', '/ready', '/oauth', '/oidc', '/.well-known', '/console/config.json'].map((path) => [
    path,
    { target, ws: path === '/v2' },
  ]),
);

/** Of the fonts for formulas only those that browsers of today load. */
const woff2Only = {
  name: 'woff2-only',
  enforce: 'pre' as const,
  transform: (css: string, id: string) =>
    id.endsWith('katex.min.css')
      ? css.replace(/,\s*url\([^)]+\)\s*format\("(?:woff|truetype)"\)/g, '')
      : undefined,
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), woff2Only],
  build: {
    target: 'es2023',
    // Nothing inline: the Content-Security-Policy allows neither inline scripts nor data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    reportCompressedSize: false,
    // What counts is checked compressed, by scripts/check-console.ts.
    chunkSizeWarningLimit: 1_000,
  },
  // Workers load their parts when they need them.
  worker: { format: 'es' },
  server: { host: '127.0.0.1', proxy },
});
