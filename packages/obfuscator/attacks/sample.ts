/**
 * Collects a program's secrets: its strings, its names and its numbers, and which of the strings a run
 * evaluates.
 */

import type { Bytes, Chunk } from '../src/syntax/ast.ts'
import { rewrite } from '../src/syntax/walk.ts'
import type { Sample, Secrets } from './attack.ts'
import { runHost } from './host.ts'
import { callGlobal, number, readTree, writeTree } from './tree.ts'
import { wordsWorthHiding } from './worth-hiding.ts'

export async function readSample(name: string, source: Bytes): Promise<Sample> {
  const tree = readTree(source)
  const { strings, names, numbers } = wordsWorthHiding(tree)
  const evaluated = await evaluatedStrings(name, tree)
  const secrets: Secrets = {
    executed: new Set([...strings].filter((each) => evaluated.has(each))),
    cold: new Set([...strings].filter((each) => !evaluated.has(each))),
    names,
    numbers,
  }
  return { name, source, secrets }
}

/** Runs the program with every string literal passed to a function that records it. */
async function evaluatedStrings(name: string, tree: Chunk): Promise<Set<Bytes>> {
  const strings: Bytes[] = []
  const noted = rewrite(tree, {
    StringLiteral(node) {
      strings.push(node.value)
      return callGlobal('__note', node.at, number(strings.length, node.at), node)
    },
  })
  const ran = await runHost('lua5.1', NOTING, [writeTree(noted)])
  if (ran.error !== null) throw new Error(`${name}: ${ran.error}`)
  return new Set(ran.output.split('\n').map((line) => strings[Number(line) - 1] ?? ''))
}

const NOTING = `
local write, noted = io.write, {}
function __note(number, text) noted[number] = true return text end
function print() end
assert(loadfile(arg[1]))()
for number in pairs(noted) do write(number, '\\n') end
`
