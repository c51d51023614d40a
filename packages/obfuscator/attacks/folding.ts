/**
 * T2: numbers of the source after everything that can be calculated from literals has been. A number is also
 * found when it stands there negative.
 */

import { type Attack, gained } from './attack.ts'
import { foldNumbers, readTree } from './tree.ts'

export const folding: Attack = {
  id: 'T2',
  name: 'numbers after folding',
  async run({ secrets }, { code }) {
    const { numbers } = foldNumbers(readTree(code))
    return gained(
      [...secrets.numbers].filter((each) => numbers.has(each) || numbers.has(-each)),
      secrets.numbers,
    )
  },
}
