/** Runs the project's tools from its root folder, and the checks that need no test runner. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

export const ROOT = path.dirname(import.meta.dirname)

/** Runs a tool from `node_modules` with inherited output and returns its exit code. */
export function run(name: string, args: readonly string[]): number {
  const done = spawnSync(tool(name), args, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (done.error) throw done.error
  return done.status ?? 1
}

/** TypeScript 7 is three times as fast as TypeScript 6, but the SDK generator still needs the API of version 6. */
export const TSC = '../typescript-native/bin/tsc'

type Check = readonly [name: string, command: string, args: readonly string[]]

const CHECKS: readonly Check[] = [
  ['types', tool(TSC), ['-b', '--pretty', 'false']],
  ['style', tool('biome'), ['ci', '--max-diagnostics=40']],
  ['folders', tool('depcruise'), ['--config', '.dependency-cruiser.mjs', 'packages']],
  ['unused', tool('knip'), ['--no-progress']],
  ['documents', process.execPath, ['scripts/check-docs.ts']],
  ['licenses', process.execPath, ['scripts/check-licenses.ts']],
  ['openapi', tool('redocly'), ['lint', 'docs/api/openapi.json']],
  ['compatibility', process.execPath, ['scripts/check-compatibility.ts']],
]
/** Checks must work offline. By default, Redocly would send usage data and look for updates. */
const ENV = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
/** Runs only two checks at a time, because some of them use several cores. */
const AT_ONCE = 2

/** Runs every check, even after a failure, and returns whether all passed. */
export async function passesChecks(): Promise<boolean> {
  const waiting = [...CHECKS]
  let hasFailed = false
  const runNext = async (): Promise<void> => {
    const check = waiting.shift()
    if (check === undefined) return
    hasFailed = !(await passes(check)) || hasFailed
    return runNext()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runNext))
  return !hasFailed
}

async function passes([name, command, args]: Check): Promise<boolean> {
  const child = spawn(command, args, { cwd: ROOT, env: ENV, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => output.push(piece))
  const [code] = (await once(child, 'close')) as [number | null]
  // Prints everything in one call, because checks run in parallel.
  process.stdout.write(`${code === 0 ? '' : Buffer.concat(output)}${code === 0 ? 'ok  ' : 'FAIL'}  ${name}\n`)
  return code === 0
}

function tool(name: string): string {
  return path.join(ROOT, 'node_modules', '.bin', name)
}
