/**
 * T2: finds numbers of the source after folding all constant expressions. A number also counts as found if
 * its negation occurs.
 */

import { type Attack, gained } from './attack.ts'
import { foldNumbers, readTree } from './tree.ts'

export const folding: Attack = {
  id: 'T2',
  name: 'numbers after constant folding',
  async run({ secrets }, { code }) {
    const { numbers } = foldNumbers(readTree(code))
    return gained(
      [...secrets.numbers].filter((each) => numbers.has(each) || numbers.has(-each)),
      secrets.numbers,
    )
  },
}
