#!/usr/bin/env node
/** The `scriptward` command of the installed package. In a clone, `scripts/launch.mjs` takes its place. */
import module from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from './cache-folder.mjs'
import { handOver, isTooOld, SERVER_FLAGS, serverArguments } from './hand-over.mjs'
import { runtimeIn } from './runtime.mjs'

const SELF = fileURLToPath(import.meta.url)
const HOME = path.dirname(path.dirname(SELF))
const PROGRAMS = path.join(HOME, 'dist')
const CACHE = cacheFolder(process)
const COMPILED = path.join(CACHE, 'compiled')
/** Where `install-node` puts the Node.js that all users of this installation share. */
const SHARED = path.join(HOME, 'runtime')

/** The server needs flags, and so a process of its own; every other command runs in this one. */
async function main() {
  const given = process.argv.slice(2)
  if (given[0] === 'install-node') return process.stdout.write(`Scriptward uses ${runtimeIn(SHARED)}\n`)
  const node = runtimeIn(SHARED, CACHE)
  const server = serverArguments([given[0] ?? 'help', ...given.slice(1)])
  if (server) {
    const env = { NODE_COMPILE_CACHE: COMPILED, ...process.env }
    return handOver(node, [...SERVER_FLAGS, path.join(PROGRAMS, 'service.js'), ...server], env)
  }
  if (isTooOld()) return handOver(node, [SELF, ...given], process.env)
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? COMPILED)
  await import(new URL('../dist/command-line.js', import.meta.url).href)
}

await main()
