/** Runs the project's tools from the project's root, and the checks that need no test runner. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

export const ROOT = path.dirname(import.meta.dirname)

/** Exit code of a tool that npm installed; its output goes straight through. */
export function run(tool: string, args: readonly string[]): number {
  const done = spawnSync(path.join(ROOT, 'node_modules', '.bin', tool), args, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (done.error) throw done.error
  return done.status ?? 1
}

const CHECKS: readonly (readonly [string, () => number])[] = [
  ['style', () => run('biome', ['ci', '--max-diagnostics=40'])],
  ['types', () => run('tsc', ['-b', '--pretty', 'false'])],
  ['folders', () => run('depcruise', ['--config', '.dependency-cruiser.mjs', 'packages'])],
  ['unused', () => run('knip', ['--no-progress'])],
  ['documents', () => script('check-docs.ts')],
  ['licences', () => script('check-licences.ts')],
  ['compatibility', () => script('check-compatibility.ts')],
]

/** Runs every check, even after one failed, and ends the process with 1 when any did. */
export function runChecks(): void {
  const failed = CHECKS.filter(([name, check]) => {
    const code = check()
    process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name}\n`)
    return code !== 0
  })
  if (failed.length > 0) process.exit(1)
}

function script(file: string, ...args: string[]): number {
  const done = spawnSync(process.execPath, [path.join(ROOT, 'scripts', file), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return done.status ?? 1
}
