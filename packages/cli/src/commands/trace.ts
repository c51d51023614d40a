// `scriptward trace`: the author's lines for what an error of a protected script says. The map is written by
// `obfuscate --sites`.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'

/** What cannot be traced exits with this. */
const UNKNOWN = 2

export function addTrace(program: Command): void {
  program
    .command('trace')
    .description("find the author's lines of an error of a protected script")
    .argument('<sites>', "the map that 'obfuscate --sites' wrote")
    .argument('<error>', 'a line of the output, or the text of an error or a traceback')
    .action(run)
}

async function run(file: string, error: string): Promise<void> {
  const lines = linesOf(await readFile(file, 'utf8'))
  if (!lines) return refuse(`${file}: this is no map of lines: write one with 'obfuscate --sites'`)
  const found = /^\d+$/.test(error.trim())
    ? [error.trim()]
    : [...error.matchAll(/:(\d+):/g)].map(([, line]) => line)
  if (found.length === 0)
    return refuse("there is no ':<line>:' in the error: give its whole text, or a line alone")
  for (const site of found) {
    const line = lines[Number(site) - 1]
    process.stdout.write(line ? `${site}: line ${line}\n` : `${site}: no line of the script\n`)
  }
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = UNKNOWN
}

function linesOf(text: string): readonly number[] | null {
  try {
    const { lines } = JSON.parse(text)
    return Array.isArray(lines) && lines.every(Number.isInteger) ? lines : null
  } catch {
    return null
  }
}
