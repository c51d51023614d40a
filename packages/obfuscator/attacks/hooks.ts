/**
 * T3: hooks every library function to record its arguments and results, and the environment to record reads.
 * Strings that arrive letter by letter are joined. Strings that the original exposes in the same way don't
 * count.
 */

import type { Bytes } from '../src/syntax/ast.ts'
import { type Attack, gained, type Host } from './attack.ts'
import { seenByHooks } from './hooking.ts'
import { runHost } from './host.ts'
import { within } from './recorded.ts'

export const hooks: Attack = {
  id: 'T3',
  name: 'hooked library and environment',
  async run({ source, secrets }, { code }, host) {
    const open = within(await seenOf(source, host), secrets.executed)
    const hidden = new Set([...secrets.executed].filter((each) => !open.includes(each)))
    return gained(within(await seenOf(code, host), hidden), hidden)
  },
}

function seenOf(code: Bytes, host: Host): Promise<Bytes[]> {
  return seenByHooks(code, async (script, files) => (await runHost(host, script, files)).output)
}
