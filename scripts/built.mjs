/**
 * Builds what git does not hold, each part once for each state of its sources. Plain JavaScript for Node 20, because the
 * launcher needs it before anything else can run.
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

/**
 * The name of a part → what it is made from, what it consists of, and the script that writes it. A part stands below the
 * parts that it is made from.
 */
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
      'packages/client/src',
      'packages/dashboard/icon.svg',
      'packages/dashboard/index.html',
      'packages/dashboard/src',
      'packages/dashboard/vite.config.ts',
      'packages/sdk/src',
      'scripts/built.mjs',
      'scripts/build-dashboard.ts',
    ],
    outputs: ['packages/dashboard/dist'],
    command: ['scripts/build-dashboard.ts'],
  },
}

/** Builds those of `names` whose sources changed, with a Node.js that runs TypeScript. */
export function buildChanged(names, node, env) {
  for (const [name, { sources, outputs, command }] of Object.entries(PARTS)) {
    if (!names.includes(name)) continue
    const wanted = digestOf(sources)
    const stamp = path.join(WORK, `${name}.sources`)
    if (outputs.every(isThere) && readIfThere(stamp) === wanted) continue
    process.stderr.write(`scriptward: building the ${name}\n`)
    // A build that is interrupted may leave files of two states.
    rmSync(stamp, { force: true })
    run(node, command, env)
    writeFileSync(stamp, wanted)
  }
}

function isThere(place) {
  return existsSync(path.join(ROOT, place))
}

/** Another process may remove it at any time. */
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

/** In the order of their names; undefined when `place` is no folder. */
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

/** An empty folder on the file system of the project. */
export function makeWorkFolder() {
  mkdirSync(WORK, { recursive: true })
  return mkdtempSync(path.join(WORK, 'new-'))
}

/**
 * Gives `target` the files of `made`, which ends with it. File by file, because no system call puts a folder in the
 * place of one that has files; so a process that builds the same beside this one takes nothing away from a reader.
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
