#!/usr/bin/env node
/** The command of the installed packages. A clone has `scripts/launch.mjs` in its place. */
import { fileURLToPath } from 'node:url'
import { handOver, isTooOld, OLDEST_MAJOR, SERVER_FLAGS, SERVER_WORDS } from './hand-over.mjs'

function main() {
  const [word = 'help', ...rest] = process.argv.slice(2)
  const isServer = Object.hasOwn(SERVER_WORDS, word)
  const main = fileURLToPath(import.meta.resolve(isServer ? '@scriptward/server' : '@scriptward/cli'))
  const args = isServer ? [...SERVER_FLAGS, main, SERVER_WORDS[word]] : [main, word]
  handOver(process.execPath, [...args, ...rest], process.env)
}

if (isTooOld()) {
  process.stderr.write(
    `scriptward: Node.js ${process.versions.node} is too old: install Node.js ${OLDEST_MAJOR} or newer, such as from https://nodejs.org\n`,
  )
  process.exitCode = 1
} else main()
