/** `scriptward diff`: prints the differences between two versions as a patch. */

import { type V1ScriptVersionsCompareResponse, v1ScriptVersionsCompare } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../../cli.ts'
import { bytesOf } from '../../output/output.ts'
import { SCRIPT, type ScriptFlags, scriptOf, versionIn } from './versions.ts'

type Compared = V1ScriptVersionsCompareResponse
type Changed = Compared['files'][number]

export function addDiff(program: Command, around: Surroundings): void {
  program
    .command('diff')
    .description('Compare two versions of a script')
    .argument('<from>', 'Version number to compare from')
    .argument('<to>', 'Version number to compare to')
    .option('--script <id>', SCRIPT)
    .action(acting(around, diff))
}

/**
 * Prints only the patch to standard output, so that other programs can read it. Everything else goes to
 * standard error.
 */
async function diff(cli: Cli, flags: ScriptFlags, words: Words): Promise<void> {
  const [from, to] = [versionIn(words.text(0)), versionIn(words.text(1))]
  const script_id = await scriptOf(cli, flags)
  const { client } = await cli.service()
  const path = { script_id, n: to }
  const { data } = await v1ScriptVersionsCompare({ client, path, query: { with: from }, throwOnError: true })
  cli.out.json(data)
  if (cli.out.isJson) return
  tellSummary(cli, data)
  for (const file of data.files) tellFile(cli, file)
  if (data.files.length === 0) cli.out.note(`Versions ${from} and ${to} have the same source.`)
  if (data.truncated) cli.out.warn('The output is incomplete, because too many lines differ.')
}

function tellSummary({ out }: Cli, { from, to, options }: Compared): void {
  const sizes = [from, to].map(
    (one) => `${bytesOf(one.source_bytes)} (${bytesOf(one.protected_bytes)} protected)`,
  )
  out.note(`version ${from.version}: ${sizes[0]}, version ${to.version}: ${sizes[1]}`)
  for (const one of options) out.note(`option ${one.id}: ${one.from ?? 'not set'} -> ${one.to ?? 'not set'}`)
}

function tellFile({ out }: Cli, { path, change, diff: hunks, added_lines, removed_lines }: Changed): void {
  if (hunks === null) {
    out.note(`${path}: ${added_lines} lines replace ${removed_lines}`)
    return
  }
  out.line(out.strong(`--- ${change === 'added' ? '/dev/null' : `a/${path}`}`))
  out.line(out.strong(`+++ ${change === 'removed' ? '/dev/null' : `b/${path}`}`))
  for (const line of hunks.split('\n')) out.line(visible(line))
}

/** A source may contain control characters that affect the terminal. */
function visible(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace.
  return line.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '?')
}
