#!/usr/bin/env node
/** The `scriptward` command of the installed packages. In a clone, `scripts/launch.mjs` takes its place. */
import { fileURLToPath } from 'node:url'
import { handOver, isTooOld, OLDEST_MAJOR, SERVER_FLAGS, serverArguments } from './hand-over.mjs'

function main() {
  const [word = 'help', ...rest] = process.argv.slice(2)
  const given = [word, ...rest]
  const server = serverArguments(given)
  const main = fileURLToPath(import.meta.resolve(server ? '@scriptward/server' : '@scriptward/cli'))
  const args = server ? [...SERVER_FLAGS, main, ...server] : [main, ...given]
  handOver(process.execPath, args, process.env)
}

if (isTooOld()) {
  process.stderr.write(
    `scriptward: Node.js ${process.versions.node} is too old. Install Node.js ${OLDEST_MAJOR} or newer, for example from https://nodejs.org\n`,
  )
  process.exitCode = 1
} else main()
