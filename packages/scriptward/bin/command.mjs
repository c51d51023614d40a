/** Runs a command of the installed package on Node.js 24 or newer. */
import module from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from './cache-folder.mjs'
import { handOver, isTooOld, SERVER_FLAGS, serverArguments } from './hand-over.mjs'
import { runtimeIn } from './runtime.mjs'

const BIN = path.dirname(fileURLToPath(import.meta.url))
const HOME = path.dirname(BIN)
const PROGRAMS = path.join(HOME, 'dist')
const CACHE = cacheFolder(process)
const { NODE_COMPILE_CACHE: COMPILED = CACHE && path.join(CACHE, 'compiled') } = process.env
/** Folder where `install-node` stores a copy of Node.js for all users of this installation. */
const SHARED = path.join(HOME, 'runtime')
const HELP = ['-h', '--help']

/** The server needs Node.js flags, so it runs in a separate process. Every other command runs in this one. */
async function main() {
  const given = process.argv.slice(2)
  if (given[0] === 'install-node' && !given.some((word) => HELP.includes(word)))
    return process.stdout.write(`Scriptward uses ${await runtimeIn([SHARED])}\n`)
  const node = await runtimeIn([SHARED, CACHE])
  const server = serverArguments([given[0] ?? 'help', ...given.slice(1)])
  if (server) {
    const env = COMPILED === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: COMPILED }
    return handOver(node, [...SERVER_FLAGS, path.join(PROGRAMS, 'service.js'), ...server], env)
  }
  if (isTooOld()) return handOver(node, [path.join(BIN, 'scriptward.mjs'), ...given], process.env)
  if (COMPILED !== undefined) module.enableCompileCache(COMPILED)
  await import(new URL('../dist/command-line.js', import.meta.url).href)
}

await main()
