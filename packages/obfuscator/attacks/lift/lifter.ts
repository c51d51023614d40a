/**
 * T16: lifts an entire output. The attacker lets the startup code run, reads the values in its locals, and
 * uses them to follow every dispatch loop. The attacker also makes the output decrypt its own strings,
 * including those in code that never runs.
 */

import type { Bytes } from '../../src/syntax/ast.ts'
import type { Attack, Host } from '../attack.ts'
import { runHost } from '../host.ts'
import { within } from '../recorded.ts'
import type { Lifted } from './explore.ts'
import { liftWith, likenessOf } from './lift.ts'

export const lifter: Attack = {
  id: 'T16',
  name: 'lifted: cold strings, numbers, functions',
  async run({ source, secrets }, { code }, host) {
    const [wanted, found] = [await lift(source, host), await lift(code, host)]
    const numbers = [...secrets.numbers].filter((each) => found.numbers.has(each) || found.numbers.has(-each))
    const parts: { what: string; count: number; of: number }[] = [
      { what: 'cold strings', count: within([...found.strings], secrets.cold).length, of: secrets.cold.size },
      { what: 'numbers', count: numbers.length, of: secrets.numbers.size },
      {
        what: 'functions',
        count: likenessOf(wanted.functions, found.functions),
        of: wanted.functions.length,
      },
    ].filter(({ of }) => of > 0)
    const share = parts.reduce((sum, { count, of }) => sum + count / of, 0) / parts.length
    const evidence = parts.map(({ what, count, of }) => `${Number(count.toFixed(1))} of ${of} ${what}`)
    return { score: Math.max(0, 1 - share), evidence: evidence.join(', ') }
  },
}

export function lift(code: Bytes, host: Host): Promise<Lifted> {
  return liftWith(code, async (script, files) => (await runHost(host, script, files)).output)
}
