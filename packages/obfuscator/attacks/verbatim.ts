/**
 * T1: finds strings and names of the source in the output, in any spelling that Lua accepts. A string also
 * counts as found if it is part of a longer string.
 */

import { type Attack, gained } from './attack.ts'
import { within } from './recorded.ts'
import { readTree, wordsOf } from './tree.ts'

export const verbatim: Attack = {
  id: 'T1',
  name: 'strings and names in plain text',
  async run({ secrets }, { code }) {
    const { strings, names } = wordsOf(readTree(code))
    const wanted = new Set([...secrets.executed, ...secrets.cold, ...secrets.names])
    const texts = within([code, ...strings], [...secrets.executed, ...secrets.cold])
    const fields = [...secrets.names].filter((each) => names.has(each) || strings.has(each))
    return gained([...texts, ...fields], wanted)
  },
}
