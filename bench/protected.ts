/**
 * Provides the sources for the obfuscator benchmarks: the files in `programs/`, and sources of any size
 * composed of these files.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { obfuscate } from '../packages/obfuscator/src/index.ts'

const FOLDER = new URL('programs/', import.meta.url)

export const programs = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.lua'))
  .map((name) => ({ name, source: readFileSync(new URL(name, FOLDER), 'latin1') }))

/** Returns each program as a function, repeating the programs until the given size is reached. */
export function corpusOf(size: number): string {
  let text = ''
  let group = ''
  for (let i = 0; text.length + group.length < size; i++) {
    const { source } = programs[i % programs.length] as { source: string }
    group += `local function part${i}()\n${source}\nend\n`
    if (i % 100 < 99) continue
    text += `do\n${group}\nend\n`
    group = ''
  }
  return text + group
}

export function protect(source: string, preset: string, target = 'any', seed = 1): string {
  const result = obfuscate(source, { preset, target, seed })
  if ('errors' in result) throw new Error(result.errors.map(({ message }) => message).join('\n'))
  return result.code
}

/** Returns the CPU time of this thread in milliseconds. */
export function cpuTime(run: () => void): number {
  const start = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}
