/**
 * Builds the dashboard into `dist/`, from which the server serves it under `/dashboard/`. In development,
 * requests for every other path go to the server.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import { firstLoad } from './first-load.ts'

const service = `http://127.0.0.1:${process.env.SCRIPTWARD_PORT ?? 8080}`

/** Most lists show users, so one file has the code of lists and what the list of users needs besides. */
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
 * What is needed together is in one file, because each request takes a round trip on a slow line. A module belongs to
 * the first group that has it or a module that imports it. The basic styles come first, so that those of components
 * and pages override them.
 */
const GROUPS: Rolldown.CodeSplittingGroup[] = [
  { name: 'base', test: /src\/design\/|@fontsource/ },
  // Libraries change less often than the app, so browsers keep them longer.
  { name: 'libraries', test: /node_modules\//, tags: ['$initial'] },
  { name: 'app', tags: ['$initial'] },
  { name: 'lists', test: (id) => OF_LISTS.some((each) => each.test(id)) && !NOT_FIRST.test(id) },
  { name: 'forms', test: OF_FORMS },
  // Tabs need less of their library than menus.
  { name: 'tabs', test: /components\/tabs\./ },
  { name: 'shared', test: OF_MANY, minShareCount: 8 },
  { name: 'overlays', test: /node_modules\/(@base-ui|@floating-ui)\//, minShareCount: 2 },
]
/** A page loads only the files of texts that it uses. */
const treeshake = { moduleSideEffects: [{ test: /src\/messages\//, sideEffects: false }] }

/** On a busy machine, the first start of a server would end with a warning about slow plugins. */
const checks = { bundlerTimings: false }

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), firstLoad(), compressed()],
  // luau-web would otherwise pick its build with promise integration, in which pcall catches nothing.
  resolve: { alias: { './lib/Luau.Web.JSPI.js': './lib/Luau.Web.Asyncify.js' } },
  // luau-web imports a module of Node, but only when it runs in Node.
  worker: { format: 'es', rolldownOptions: { external: ['module'], checks } },
  build: {
    target: 'es2022',
    sourcemap: false,
    assetsInlineLimit: 0,
    manifest: true,
    cssCodeSplit: false,
    rolldownOptions: { treeshake, checks, output: { codeSplitting: { groups: GROUPS } } },
  },
  server: { proxy: { '^/(?!dashboard/)': service } },
})

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
