#!/usr/bin/env node
/**
 * The `scriptward` command of the installed package. In a clone, `scripts/launch.mjs` replaces it. This file
 * uses only Node.js 12 syntax, so that even an old Node.js can run it and print the requirements.
 */
const OLDEST_MAJOR = 20

if (Number.parseInt(process.versions.node, 10) >= OLDEST_MAJOR) import('./command.mjs')
else {
  process.stderr.write(
    `scriptward: Node.js ${process.versions.node} is too old. Install Node.js 24, or at least ${OLDEST_MAJOR}, which can download 24.\n`,
  )
  process.exitCode = 1
}
