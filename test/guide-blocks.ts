/**
 * Extracts the code blocks of a Markdown page and combines them into a shell script. `CONTRIBUTING.md` explains how to
 * write such pages.
 */
import { readFileSync } from 'node:fs'

export type Block = {
  readonly line: number
  readonly language: string
  /** Name of the file that receives the block's content. */
  readonly title?: string
  /** The reason why the block is not run. */
  readonly skipped?: string
  readonly text: string
}

const FENCE = /^(?:<!-- not run: (.+) -->\n)?```(\w*)(?: title="([^"]+)")?\n([\s\S]*?)^```$/gm
const END = 'end of a file'

export function readBlocks(file: string): Block[] {
  const page = readFileSync(file, 'utf8')
  return [...page.matchAll(FENCE)].map(({ index, 1: skipped, 2: language = '', 3: title, 4: text = '' }) => ({
    line: page.slice(0, index).split('\n').length,
    language,
    text,
    ...(title !== undefined && { title }),
    ...(skipped !== undefined && { skipped }),
  }))
}

/**
 * All blocks of a page share one shell, so later blocks see variables and files from earlier ones. The output
 * of block `n` goes to the file `n.out`.
 */
export function scriptOf(blocks: readonly Block[]): string {
  const steps = blocks.map((block, n) => {
    if (block.skipped !== undefined) return ''
    if (block.title !== undefined) return `cat > '${block.title}' <<'${END}'\n${block.text}${END}\n`
    return block.language === 'sh' ? `{\n${block.text}} > "$OUT/${n}.out" 2>&1\n` : ''
  })
  return `set -eu\n${steps.join('')}`
}

/** A block without a language right after a command is its expected output; `…` matches any text. */
export function expectedOutputs(
  blocks: readonly Block[],
): { readonly n: number; readonly pattern: RegExp }[] {
  return blocks.flatMap(({ language, skipped, text }, at) => {
    const before = blocks[at - 1]
    const isShown = language === '' && skipped === undefined && before?.language === 'sh'
    if (!isShown || before.skipped !== undefined) return []
    const parts = text.trim().split('…').map(RegExp.escape)
    return [{ n: at - 1, pattern: new RegExp(`^\\s*${parts.join('[\\s\\S]*?')}\\s*$`) }]
  })
}
