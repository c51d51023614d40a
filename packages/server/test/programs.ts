/**
 * Provides the programs that tests start as processes. They are bundled as in the published package, because
 * a server that starts from its sources uses more than twice the CPU time.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const BUILT = path.join(ROOT, '.tsbuild')
const BUILD = `import { buildChanged } from './scripts/built.mjs'
buildChanged(['programs'], process.execPath, process.env)`

let isCurrent = false

/** Returns the path of a program for Node. */
export function programOf(name: 'service' | 'command-line'): string {
  return path.join(programs(), 'dist', `${name}.js`)
}

/** Returns a folder for `PATH` with the `scriptward` command. */
export function commandPath(): string {
  return path.join(programs(), 'bin')
}

/** The first call bundles the programs if their sources have changed. */
function programs(): string {
  if (!isCurrent) build()
  isCurrent = true
  return path.join(BUILT, 'programs')
}

/** With a lock, because the workers of a run would otherwise all build at the same time. */
function build(): void {
  const command = [process.execPath, '--input-type=module', '-e', BUILD]
  const lock = path.join(BUILT, 'programs.lock')
  const { status, stderr } = spawnSync('flock', [lock, ...command], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The programs could not be bundled: ${stderr}`)
}
