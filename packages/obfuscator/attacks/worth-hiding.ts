/** Finds the strings, names and numbers of a source that reveal something about it. */

import type { Bytes, Chunk } from '../src/syntax/ast.ts'
import { rewrite } from '../src/syntax/walk.ts'
import type { Secrets } from './attack.ts'
import { wordsOf } from './tree.ts'

const MIN_STRING_LENGTH = 5
const MIN_NAME_LENGTH = 4

export type Words = Pick<Secrets, 'names' | 'numbers'> & { readonly strings: ReadonlySet<Bytes> }

export function wordsWorthHiding(tree: Chunk): Words {
  const library = new Set(LIBRARY.split(' '))
  const { strings, names } = wordsOf(tree)
  const isSecret = (text: Bytes) =>
    text.length >= MIN_STRING_LENGTH && !library.has(text) && !text.startsWith('__')
  return {
    strings: new Set([...strings].filter(isSecret)),
    names: new Set([...names].filter((each) => each.length >= MIN_NAME_LENGTH && !library.has(each))),
    numbers: numbersOf(tree),
  }
}

function numbersOf(tree: Chunk): Set<number> {
  const found = new Set<number>()
  const note = (value: number): undefined => {
    if (value > 1000 || (!Number.isInteger(value) && value !== 0.5)) found.add(value)
  }
  rewrite(tree, { NumberLiteral: ({ value }) => note(value) })
  return found
}

/** Names that Lua defines. They reveal nothing about a script. */
const LIBRARY = [
  'print error pcall xpcall assert type tostring tonumber select pairs ipairs next setmetatable getmetatable rawget rawset rawequal',
  'unpack require getfenv setfenv load loadstring collectgarbage string table math coroutine debug self utf8',
  'byte char find format gmatch gsub len lower match rep reverse sub upper concat insert remove sort create wrap yield resume status',
  'floor ceil max min huge random sqrt fmod',
].join(' ')
