/** `scriptward trace`: the author's lines for what an error of a protected script says. The map is written by
 * `obfuscate --sites`. */

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../cli.ts'
import { SourceFault } from '../faults.ts'

export function addTrace(program: Command, around: Surroundings): void {
  program
    .command('trace')
    .description("find the author's lines of an error of a protected script")
    .argument('<sites>', "the map that 'obfuscate --sites' wrote")
    .argument('<error>', 'a line of the output, or the text of an error or a traceback')
    .action(acting(around, run))
}

async function run({ out }: Cli, _: unknown, words: Words): Promise<void> {
  const file = words.text(0)
  const error = words.text(1)
  const lines = linesOf(await readFile(file, 'utf8'))
  if (!lines) throw new SourceFault(`${file}: this is no map of lines: write one with 'obfuscate --sites'`)
  const found = /^\d+$/.test(error.trim())
    ? [error.trim()]
    : [...error.matchAll(/:(\d+):/g)].map(([, line]) => line)
  if (found.length === 0)
    throw new SourceFault("there is no ':<line>:' in the error: give its whole text, or a line alone")
  for (const site of found) {
    const line = lines[Number(site) - 1]
    out.line(line ? `${site}: line ${line}` : `${site}: no line of the script`)
    out.json({ site: Number(site), line: line || null })
  }
}

function linesOf(text: string): readonly number[] | null {
  try {
    const { lines } = JSON.parse(text)
    return Array.isArray(lines) && lines.every(Number.isInteger) ? lines : null
  } catch {
    return null
  }
}
