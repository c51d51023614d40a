/**
 * Provides Node.js for a clone, and runs programs for its launcher. It is plain JavaScript for Node 20
 * because it runs before anything else can.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { npmCommand } from '../packages/scriptward/bin/npm.mjs'
import { runtimeIn } from '../packages/scriptward/bin/runtime.mjs'

export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** Runs a program in the root folder, with its output on standard error, and exits if it fails. */
export function run(command, args, env) {
  const [program, ...first] = command === 'npm' ? npmCommand(process) : [command]
  const done = spawnSync(program, [...first, ...args], { cwd: ROOT, env, stdio: ['ignore', 2, 2] })
  if (done.error) fail(`${command} could not start: ${done.error.message}`)
  if (done.status !== 0) fail(`\`${[command, ...args].join(' ')}\` failed with exit code ${done.status}`)
}

function fail(message) {
  process.stderr.write(`scriptward: ${message}\n`)
  process.exit(1)
}

/** Resolves to the path of a Node.js that can run this project. */
export function runtime() {
  return runtimeIn([path.join(ROOT, '.runtime')])
}
