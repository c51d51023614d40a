/**
 * Builds the dashboard into `dist/`, from which the server serves it under `/dashboard/`. In development,
 * requests for every other path go to the server.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const service = `http://127.0.0.1:${process.env.SCRIPTWARD_PORT ?? 8080}`

/**
 * What many pages need is in one file, because each request takes a round trip on a slow line. The basic styles come
 * first, so that those of components and pages override them.
 */
const GROUPS = [
  { name: 'base', test: /src\/design\/|@fontsource/ },
  {
    name: 'libraries',
    test: /node_modules\/(react|react-dom|scheduler|@tanstack|@base-ui|@floating-ui)\//,
    minShareCount: 10,
  },
  { name: 'shared', test: /dashboard\/src\/(lib|queries|layout|components)\//, minShareCount: 8 },
]
/** A page loads only the files of texts that it uses. */
const treeshake = { moduleSideEffects: [{ test: /src\/messages\//, sideEffects: false }] }

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), firstTheme(), preloadFont(), compressed()],
  // luau-web would otherwise pick its build with promise integration, in which pcall catches nothing.
  resolve: { alias: { './lib/Luau.Web.JSPI.js': './lib/Luau.Web.Asyncify.js' } },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    sourcemap: false,
    assetsInlineLimit: 0,
    manifest: true,
    cssCodeSplit: false,
    rolldownOptions: { treeshake, output: { codeSplitting: { groups: GROUPS } } },
  },
  server: { proxy: { '^/(?!dashboard/)': service } },
})

/**
 * Runs before the first paint, so that the page never appears in the other theme. The content security policy forbids
 * inline scripts, so it is a file.
 */
const FIRST_THEME = `try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}
`

function firstTheme(): Plugin {
  return {
    name: 'first-theme',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'asset', name: 'theme.js', source: FIRST_THEME })
    },
    transformIndexHtml(_html, { bundle = {} }) {
      const file = Object.keys(bundle).find((name) => /theme-[\w-]+\.js$/.test(name))
      return [{ tag: 'script', attrs: { src: `/dashboard/${file}` }, injectTo: 'head-prepend' }]
    },
  }
}

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
        // Text appears in another font first, but on a slow line the page is ready a second earlier.
        fetchpriority: 'low',
        href: `/dashboard/${font}`,
      }
      return [{ tag: 'link', attrs, injectTo: 'head' }]
    },
  }
}

/** Writes each text file compressed beside it, because the best compression takes too long while a browser waits. */
function compressed(): Plugin {
  const compress = promisify(brotliCompress)
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const names = await readdir(dir, { recursive: true })
      const texts = names.filter((name) => /\.(js|css)$/.test(name)).map((name) => path.join(dir, name))
      await Promise.all(
        texts.map(async (file) => writeFile(`${file}.br`, await compress(await readFile(file)))),
      )
    },
  }
}
