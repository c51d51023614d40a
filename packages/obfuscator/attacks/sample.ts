/** Collects the secrets of a program: its strings, names and numbers, and which strings a run evaluates. */

import type { Bytes, Chunk } from '../src/syntax/ast.ts'
import { rewrite } from '../src/syntax/walk.ts'
import type { Sample, Secrets } from './attack.ts'
import { runHost } from './host.ts'
import { callGlobal, number, readTree, wordsOf, writeTree } from './tree.ts'

const MIN_STRING_LENGTH = 5
const MIN_NAME_LENGTH = 4

export async function readSample(name: string, source: Bytes): Promise<Sample> {
  const tree = readTree(source)
  const library = new Set(LIBRARY.split(' '))
  const isSecret = (text: Bytes) =>
    text.length >= MIN_STRING_LENGTH && !library.has(text) && !text.startsWith('__')
  const strings = [...wordsOf(tree).strings].filter(isSecret)
  const evaluated = await evaluatedStrings(name, tree)
  const secrets: Secrets = {
    executed: new Set(strings.filter((each) => evaluated.has(each))),
    cold: new Set(strings.filter((each) => !evaluated.has(each))),
    names: new Set(
      [...wordsOf(tree).names].filter((each) => each.length >= MIN_NAME_LENGTH && !library.has(each)),
    ),
    numbers: numbersOf(tree),
  }
  return { name, source, secrets }
}

function numbersOf(tree: Chunk): Set<number> {
  const found = new Set<number>()
  const note = (value: number): undefined => {
    if (value > 1000 || (!Number.isInteger(value) && value !== 0.5)) found.add(value)
  }
  rewrite(tree, { NumberLiteral: ({ value }) => note(value) })
  return found
}

/** Runs the program with every string literal wrapped in a function that records it. */
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

/** Names defined by Lua, which reveal nothing about a script. */
const LIBRARY = [
  'print error pcall xpcall assert type tostring tonumber select pairs ipairs next setmetatable getmetatable rawget rawset rawequal',
  'unpack require getfenv setfenv load loadstring collectgarbage string table math coroutine debug self utf8',
  'byte char find format gmatch gsub len lower match rep reverse sub upper concat insert remove sort create wrap yield resume status',
  'floor ceil max min huge random sqrt fmod',
].join(' ')
