/**
 * Bundles the programs of the `scriptward` package: one minified file per entry, with a source map. Code that
 * an entry imports on demand, such as PostgreSQL or mail, is in separate files, so that it takes no memory
 * until it is used.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { ROOT } from './run.ts'

const PACKAGES = path.join(ROOT, 'packages')

/** Maps each bundle of a program, thread or child process to its source file in `packages`. */
const ENTRIES: Readonly<Record<string, string>> = {
  service: 'server/src/main.ts',
  'command-line': 'cli/src/main.ts',
  'bulk-thread': 'server/src/database/engine/sqlite/bulk-thread.ts',
  'backup-thread': 'server/src/features/backups/archive/thread.ts',
  'job-host': 'server/src/features/builds/job-host.ts',
  'build-job': 'server/src/features/builds/job.ts',
  'proof-run': 'server/src/features/builds/proof-run.ts',
  'function-run': 'server/src/features/functions/sandbox/function-run.ts',
  'job-thread': 'server/src/offload/job-thread.ts',
  'obfuscation-thread': 'cli/src/source/obfuscation-thread.ts',
  'run-thread': 'cli/src/source/run-thread.ts',
  keeper: 'cli/src/trying/keeper.ts',
}

/** Packages with files that can't be bundled: binaries, WebAssembly, and a file that the guide serves. */
export const NOT_BUNDLED = ['lz4-napi', 'luau-web', 'minisearch']
/** Turns off the warning about slow bundling, because warnings fail the build. */
const checks = { bundlerTimings: false }
/** Optional packages that dependencies try to load but that are not installed. */
const OPTIONAL = ['pg-native', 'bufferutil', 'utf-8-validate']

/**
 * Writes every entry to `folder` and returns the paths of all bundled modules. `packages` is the path from the
 * bundles to the folder with the files of each package. In the published package, that is the folder above.
 */
export async function bundlePrograms(folder: string, packages = '..'): Promise<string[]> {
  const sources: string[] = []
  const plugins = [keepPlaces(packages), httpOnDemand]
  for (const [name, source] of Object.entries(ENTRIES)) {
    const chunks = await bundleEntry(name, path.join(PACKAGES, source), folder, plugins)
    for (const { fileName } of chunks) writeAscii(path.join(folder, fileName))
    sources.push(...chunks.flatMap(({ modules }) => Object.keys(modules)))
  }
  return sources
}

/** Bundles a library without dependencies into one file. */
export async function bundleLibrary(source: string, file: string): Promise<void> {
  const bundle = await rolldown({ input: source, platform: 'neutral', checks, onLog: fail })
  await bundle.write({
    file,
    format: 'esm',
    sourcemap: true,
    codeSplitting: false,
    comments: { legal: true },
  })
  await bundle.close()
}

async function bundleEntry(
  name: string,
  input: string,
  folder: string,
  plugins: Plugin[],
): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: [...NOT_BUNDLED, ...OPTIONAL],
    plugins,
    checks,
    onLog: fail,
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: `${name}.js`,
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Keeps names, so that a stack trace in a log can be read without the source map.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  })
  await bundle.close()
  return output.filter((one) => one.type === 'chunk')
}

function fail(_level: string, { code, message }: { readonly code?: string; readonly message: string }): void {
  // `keepPlaces` changes single expressions, so mapped lines are correct and only columns can differ.
  if (code !== 'SOURCEMAP_BROKEN') throw new Error(message)
}

const ENTRY_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(ENTRIES).map(([name, source]) => [path.join(PACKAGES, source), name]),
)

/**
 * Lets sources in a bundle find the same files as in their own folder: the `import.meta` of a source is
 * replaced with the one for its path below `packages`. References to a thread's source become references to
 * its bundle.
 */
function keepPlaces(packages: string): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!id.startsWith(PACKAGES + path.sep) || !code.includes('import.meta.')) return null
      const place = path.posix.join(packages, path.relative(PACKAGES, id).replaceAll(path.sep, '/'))
      return code
        .split(/(new URL\('[^']+\.ts', import\.meta\.url\))/)
        .map((part, index) => (index % 2 === 1 ? threadUrl(part, id) : placed(part, place)))
        .join('')
    },
  }
}

function placed(code: string, place: string): string {
  return code
    .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${path.posix.dirname(place)}')`)
    .replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`)
}

function threadUrl(expression: string, id: string): string {
  const source = path.resolve(path.dirname(id), expression.split("'")[1] ?? '')
  const name = ENTRY_OF.get(source)
  if (name === undefined) throw new Error(`${source} is started by ${id}, but is no entry of the bundle`)
  return `new URL('./${name}.js', import.meta.url)`
}

const HTTP = 'node:http'
/** Omits exports that Node creates on access, such as `WebSocket`. Nothing in the bundle uses them. */
const HTTP_NAMES = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { get }]) =>
  get === undefined ? [name] : [],
)

/**
 * An `import` of `node:http` reads all of its exports. Reading `WebSocket` makes Node load its HTTP client,
 * which adds 20 to 30 ms to each start.
 */
const httpOnDemand: Plugin = {
  name: 'http-on-demand',
  resolveId: (id, _importer, { kind }) => (id === HTTP && kind === 'import-statement' ? `\0${HTTP}` : null),
  load: (id) =>
    id === `\0${HTTP}`
      ? `const http = process.getBuiltinModule('${HTTP}')
        export const { ${HTTP_NAMES.join(', ')} } = http
        export default http`
      : null,
}

/**
 * Escapes all non-ASCII characters and moves the source map's columns accordingly. V8 stores a source with
 * even one such character at two bytes per character.
 */
function writeAscii(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, lines.map(escapeLine).join('\n'))
  // A file that contains only the bundler's own helpers has no source map.
  if (!existsSync(`${file}.map`)) return
  const map = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { mappings: string }
  const moved = decode(map.mappings).map((segments, line) => {
    const shift = shiftsOf(lines[line] ?? '')
    return segments.map((segment) => {
      segment[0] += shift(segment[0])
      return segment
    })
  })
  writeFileSync(`${file}.map`, JSON.stringify({ ...map, mappings: encode(moved) }))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them
const OUTSIDE_ASCII = /[^\x00-\x7f]/g

function escapeLine(line: string): string {
  return line.replace(OUTSIDE_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Returns a function that takes a column of the line and returns how many columns it moves by. Call it with
 * increasing columns.
 */
function shiftsOf(line: string): (column: number) => number {
  const places = [...line.matchAll(OUTSIDE_ASCII)].map(({ index }) => index)
  let before = 0
  return (column) => {
    while (before < places.length && (places[before] ?? 0) < column) before++
    return before * ('\\u0000'.length - 1)
  }
}
