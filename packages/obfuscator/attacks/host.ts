/**
 * Runs the attacker's Lua code on a host and returns its output. The attacked script is in a separate file.
 */

import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Bytes } from '../src/syntax/ast.ts'
import type { Host } from './attack.ts'

export type Ran = {
  readonly output: Bytes
  /** The error of the host; null if the run ended without an error and in time. */
  readonly error: Bytes | null
}

/** In seconds of CPU time rather than real time, because a run takes longer on a busy machine. */
const LIMIT = 20
/** Ends a run that waits for something. */
const PATIENCE_MS = 250_000
const LIMITED = ['-c', 'ulimit -t "$1" && shift && exec "$@"', 'sh']

/** @param files contents of files whose paths the script receives as `arg[1]`, `arg[2]`, and so on. */
export async function runHost(
  host: Host,
  script: Bytes,
  files: readonly Bytes[],
  limit = LIMIT,
): Promise<Ran> {
  const folder = await mkdtemp(path.join(tmpdir(), 'attack-'))
  const write = async (name: string, text: Bytes) => {
    const file = path.join(folder, name)
    await writeFile(file, text, 'latin1')
    return file
  }
  try {
    const paths = [await write('attack.lua', script)]
    for (const [i, text] of files.entries()) paths.push(await write(`target${i}.lua`, text))
    return await run([`${limit}`, host, ...paths])
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** @param words the limit, the host and its arguments. */
function run(words: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', [...LIMITED, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
    const output: Buffer[] = []
    const problems: Buffer[] = []
    child.stdout.on('data', (piece: Buffer) => output.push(piece))
    child.stderr.on('data', (piece: Buffer) => problems.push(piece))
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      const error = code === 0 ? null : Buffer.concat(problems).toString('latin1') || 'ended'
      resolve({ output: Buffer.concat(output).toString('latin1'), error })
    })
  })
}

/**
 * The prelude of every attack on running code: `see` records a string, and `report` prints all recorded
 * ones. It saves the original library before anything is hooked.
 */
export const PRELUDE = `
local seen, write = {}, io.write
local gsub, format, byte, type, pairs, loadfile = string.gsub, string.format, string.byte, type, pairs, loadfile
local function see(value) if type(value) == 'string' then seen[value] = true end end
local function report()
  for text in pairs(seen) do
    write((gsub(text, '.', function(c) return format('%02x', byte(c)) end)), '\\n')
  end
end
`

/** Functions through which a script may detect hooks, as a Lua table. Attackers leave them unchanged. */
export const CHECKED =
  "{ ['setmetatable'] = true, ['getfenv'] = true, ['byte'] = true, ['char'] = true, ['sub'] = true }"

/** The strings that `report` printed. */
export function reported(output: Bytes): Bytes[] {
  return output.split('\n').map((line) => Buffer.from(line, 'hex').toString('latin1'))
}

/** The wanted strings that occur in any of the recorded ones. */
export function within(seen: readonly Bytes[], wanted: Iterable<Bytes>): Bytes[] {
  const all = seen.join('\n\0\n')
  return [...wanted].filter((each) => all.includes(each))
}
