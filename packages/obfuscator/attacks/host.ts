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
  /** The host's error; null if the run ended in time and without an error. */
  readonly error: Bytes | null
}

/** CPU time limit in seconds. Wall-clock time would depend on how busy the machine is. */
const LIMIT = 20
/** Wall-clock limit, for runs that block without using CPU time. */
const PATIENCE_MS = 250_000
const LIMITED = ['-c', 'ulimit -t "$1" && shift && exec "$@"', 'sh']

/**
 * @param files the contents of the files. The script receives their paths as `arg[1]`, `arg[2]`, and so on.
 */
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

/** @param words the CPU time limit, followed by the host and its arguments. */
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
