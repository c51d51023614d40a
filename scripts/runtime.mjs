/**
 * The Node.js of a clone, and how its launcher runs programs. It is plain JavaScript for Node 20 because it runs before
 * anything else can.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { npmCommand, runIn, runtimeIn } from '../packages/scriptward/bin/runtime.mjs'

export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** Runs a program in the root folder, with its output on standard error, and exits if it fails. */
export function run(command, args, env) {
  const start = command === 'npm' ? npmCommand(process) : [command]
  runIn(ROOT, [...start, ...args], env)
}

/** Returns the path of a Node.js that can run this project. */
export function runtime() {
  return runtimeIn(path.join(ROOT, '.runtime'))
}
