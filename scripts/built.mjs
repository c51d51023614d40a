/**
 * Builds the generated files, each part only when its sources have changed. It is plain JavaScript for Node
 * 20 because the launcher needs it before anything else can run.
 */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { ROOT, run } from './runtime.mjs'

const WORK = path.join(ROOT, '.tsbuild', 'built')

/** Sources, outputs and build script of each part. List a part after the parts that it is built from. */
export const PARTS = {
  reference: {
    sources: [
      'package-lock.json',
      'packages/client/lua',
      'packages/client/src',
      'packages/obfuscator/src',
      'packages/server/src',
      'packages/server/package.json',
      'scripts/built.mjs',
      'scripts/generate-reference.ts',
      'scripts/markdown-table.ts',
      'scripts/scopes-page.ts',
      'scripts/webhooks-page.ts',
    ],
    outputs: ['docs/api', 'packages/client/generated'],
    command: ['scripts/generate-reference.ts'],
  },
  sdk: {
    sources: [
      'docs/api/openapi.json',
      'package-lock.json',
      'scripts/built.mjs',
      'scripts/generate-sdk.ts',
      'scripts/sdk-resources.ts',
    ],
    outputs: ['packages/sdk/src/generated'],
    command: ['scripts/generate-sdk.ts'],
  },
  dashboard: {
    sources: [
      'package-lock.json',
      'packages/client/lua/host.lua',
      'packages/client/preview',
      'packages/client/src',
      'packages/dashboard/first-load.ts',
      'packages/dashboard/icon.svg',
      'packages/dashboard/index.html',
      'packages/dashboard/src',
      'packages/dashboard/vite.config.ts',
      'packages/sdk/src',
      'scripts/built.mjs',
      'scripts/build-dashboard.ts',
      'scripts/third-party.ts',
    ],
    outputs: ['packages/dashboard/dist'],
    command: ['scripts/build-dashboard.ts'],
  },
  playground: {
    sources: [
      'package-lock.json',
      'packages/client/src',
      'packages/dashboard/icon.svg',
      'packages/dashboard/playground/index.html',
      'packages/dashboard/src',
      'packages/dashboard/vite.config.ts',
      'packages/obfuscator/attacks',
      'packages/obfuscator/src',
      'packages/sdk/src',
      'scripts/built.mjs',
      'scripts/build-dashboard.ts',
      'scripts/third-party.ts',
    ],
    outputs: ['packages/dashboard/playground/dist'],
    command: ['scripts/build-dashboard.ts', 'playground'],
  },
  /** Only tests use these; the launcher starts programs from their sources. */
  programs: {
    sources: [
      'package-lock.json',
      'packages/cli/package.json',
      'packages/cli/src',
      'packages/client/src',
      'packages/obfuscator/src',
      'packages/scriptward/bin',
      'packages/sdk/src',
      'packages/server/package.json',
      'packages/server/src',
      'scripts/build-programs.ts',
      'scripts/built.mjs',
      'scripts/bundle.ts',
    ],
    outputs: ['.tsbuild/programs'],
    command: ['scripts/build-programs.ts'],
  },
}

/** Builds the parts in `names` whose sources have changed. `node` must be able to run TypeScript. */
export function buildChanged(names, node, env) {
  for (const [name, { sources, outputs, command }] of Object.entries(PARTS)) {
    if (!names.includes(name)) continue
    const wanted = digestOf(sources)
    const stamp = path.join(WORK, `${name}.sources`)
    if (outputs.every(isThere) && readIfThere(stamp) === wanted) continue
    process.stderr.write(`Building the ${name === 'sdk' ? 'SDK' : name}…\n`)
    // Removes the stamp before building, because an interrupted build may mix old and new files. Without the
    // stamp, the next start builds again.
    rmSync(stamp, { force: true })
    run(node, command, env)
    writeFileSync(stamp, wanted)
  }
}

function isThere(place) {
  return existsSync(path.join(ROOT, place))
}

/** Tolerates missing files, because another process may delete one at any time. */
function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

function digestOf(sources) {
  const digest = createHash('sha256')
  const files = sources.flatMap((source) => filesBelow(path.join(ROOT, source)) ?? [path.join(ROOT, source)])
  for (const file of files) {
    if (!file.endsWith('.test.ts')) digest.update(`${path.relative(ROOT, file)}\n`).update(readFileSync(file))
  }
  return digest.digest('hex')
}

/** Lists all files below `place`, sorted by name; undefined if `place` is not a folder. */
function filesBelow(place) {
  let entries
  try {
    entries = readdirSync(place, { withFileTypes: true })
  } catch (error) {
    if (error.code === 'ENOTDIR') return undefined
    throw error
  }
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.flatMap((one) => {
    const inside = path.join(place, one.name)
    return one.isDirectory() ? filesBelow(inside) : [inside]
  })
}

/** Creates an empty folder on the project's file system, so that files can be moved out of it. */
export function makeWorkFolder() {
  mkdirSync(WORK, { recursive: true })
  return mkdtempSync(path.join(WORK, 'new-'))
}

/**
 * Moves the files in `made` to `target` and deletes `made`. Files are replaced one by one, because no system
 * call replaces a non-empty folder. This way, a parallel build of the same part never removes a file that a
 * reader needs.
 */
export function replaceFolder(target, made) {
  const names = filesBelow(made).map((file) => path.relative(made, file))
  for (const name of names) {
    mkdirSync(path.dirname(path.join(target, name)), { recursive: true })
    renameSync(path.join(made, name), path.join(target, name))
  }
  for (const file of filesBelow(target)) {
    if (!names.includes(path.relative(target, file))) rmSync(file, { force: true })
  }
  rmSync(made, { recursive: true })
}
