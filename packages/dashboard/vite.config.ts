/**
 * Builds the dashboard into `dist/`. The server serves it under `/dashboard/`. In development, requests for
 * all other paths go to the server. In `playground` mode, builds the playground into `playground/dist/`,
 * which works below any path of any web server.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { choices } from '@scriptward/obfuscator'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown, type UserConfig } from 'vite'
import { LICENSES_FILE, licensesOf } from '../../scripts/third-party.ts'
import { firstLoad } from './first-load.ts'

const service = `http://127.0.0.1:${process.env.SCRIPTWARD_PORT ?? 8080}`

/** Most lists show users, so the code of all lists and the rest of the user list share one chunk. */
const OF_LISTS = [
  /components\/(page-title|time|badge|overlays\/use-dialog-param|table\/)/,
  /features\/(users\/(columns|user|queries|filters)\.|projects\/layout)/,
  /messages\/en\/(users-list|keys)\./,
]
const NOT_FIRST = /table\/(virtual-rows|view-name-dialog|loaded-search|plain-table)/
const OF_FORMS =
  /react-hook-form|components\/(fields\/(use-kept|form-errors|restored)|overlays\/(dialog|drawer))/
const OF_MANY = /dashboard\/src\/(lib|queries|layout|components\/(fields|code|audit))\//

/**
 * Modules that are needed together share one file, because each request costs a round trip on a slow network.
 * A module belongs to the first group that matches it or one of its importers. Base styles come first, so
 * that component and page styles override them.
 */
const GROUPS: Rolldown.CodeSplittingGroup[] = [
  { name: 'base', test: /src\/design\/|@fontsource/ },
  // Libraries change less often than the app, so browsers can cache them for longer.
  { name: 'libraries', test: /node_modules\//, tags: ['$initial'] },
  { name: 'app', tags: ['$initial'] },
  { name: 'lists', test: (id) => OF_LISTS.some((each) => each.test(id)) && !NOT_FIRST.test(id) },
  { name: 'forms', test: OF_FORMS },
  // Tabs need a smaller part of the component library than menus do.
  { name: 'tabs', test: /components\/tabs\./ },
  { name: 'shared', test: OF_MANY, minShareCount: 8 },
  { name: 'overlays', test: /node_modules\/(@base-ui|@floating-ui)\//, minShareCount: 2 },
]
/** Makes pages load only the message files that they use. */
const treeshake = { moduleSideEffects: [{ test: /src\/messages\//, sideEffects: false }] }

/** Otherwise, the first server start on a busy machine prints a warning about slow plugins. */
const checks = { bundlerTimings: false }

const SHARED: UserConfig = {
  // Otherwise, luau-web picks its build with promise integration, in which `pcall` catches nothing.
  resolve: { alias: { './lib/Luau.Web.JSPI.js': './lib/Luau.Web.Asyncify.js' } },
  // The playground lists presets and options before the obfuscator has loaded.
  define: { OBFUSCATOR_CHOICES: JSON.stringify({ ...choices, macros: undefined }) },
  // luau-web imports a Node.js module, but only when it runs in Node.js.
  worker: { format: 'es', rolldownOptions: { external: ['module'], checks } },
  build: {
    target: 'es2022',
    sourcemap: false,
    assetsInlineLimit: 0,
    manifest: true,
    cssCodeSplit: false,
  },
  server: { proxy: { '^/(?!dashboard/)': service } },
}

export default defineConfig(({ mode }) => {
  const notices = licenses()
  const isPlayground = mode === 'playground'
  const base = isPlayground ? './' : '/dashboard/'
  // The playground is a single page that needs all of its code.
  const groups = isPlayground ? GROUPS.slice(0, 1) : GROUPS
  const rolldownOptions = { treeshake, checks, output: { codeSplitting: { groups } } }
  return {
    ...SHARED,
    base,
    build: { ...SHARED.build, rolldownOptions },
    worker: { ...SHARED.worker, plugins: () => [notices] },
    plugins: [react(), isPlayground ? firstTheme(base) : firstLoad(), notices, compressed()],
  }
})

/**
 * Runs before the first paint, so that the page never flashes in the wrong theme. This script is a separate
 * file, because the content security policy forbids inline scripts.
 */
const FIRST_THEME = `try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}
`

function firstTheme(base: string): Plugin {
  return {
    name: 'first-theme',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'asset', name: 'theme.js', source: FIRST_THEME })
    },
    transformIndexHtml(_html, { bundle = {} }) {
      const file = Object.keys(bundle).find((name) => /theme-[\w-]+\.js$/.test(name))
      return [{ tag: 'script', attrs: { src: base + file }, injectTo: 'head-prepend' }]
    },
  }
}

/**
 * Writes a compressed copy of each text file next to the file, because the best compression is too slow to
 * run during a request.
 */
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

/**
 * Writes the licenses of third-party packages next to the files that contain those packages. Workers are
 * built before the page, so the packages in workers are already known.
 */
function licenses(): Plugin {
  const modules = new Set<string>()
  return {
    name: 'licenses',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const one of Object.values(bundle))
        if (one.type === 'chunk') for (const id of one.moduleIds) modules.add(id)
      if (this.environment.config.isWorker) return
      this.emitFile({ type: 'asset', fileName: LICENSES_FILE, source: licensesOf(modules) })
    },
  }
}
