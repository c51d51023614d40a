/**
 * Builds the dashboard into `dist/`, from which the server serves it under `/dashboard/`. In development,
 * requests for every other path go to the server.
 */
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const service = `http://127.0.0.1:${process.env.SCRIPTWARD_PORT ?? 8080}`

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), preloadFont()],
  // luau-web would otherwise pick its build with promise integration, in which pcall catches nothing.
  resolve: { alias: { './lib/Luau.Web.JSPI.js': './lib/Luau.Web.Asyncify.js' } },
  worker: { format: 'es' },
  build: { target: 'es2022', sourcemap: false, assetsInlineLimit: 0, manifest: true },
  server: { proxy: { '^/(?!dashboard/)': service } },
})

/** Preloads the font of the first paint, so that it downloads in parallel with the styles that reference it. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    transformIndexHtml(html, { bundle = {} }) {
      const font = Object.keys(bundle).find((name) => /inter-latin-wght-normal.*\.woff2$/.test(name))
      if (font === undefined) return html
      const attrs = {
        rel: 'preload',
        as: 'font',
        type: 'font/woff2',
        crossorigin: '',
        href: `/dashboard/${font}`,
      }
      return [{ tag: 'link', attrs, injectTo: 'head' }]
    },
  }
}
