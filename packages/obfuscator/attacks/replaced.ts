/**
 * T13: replaces each of ten library functions with the attacker's own version, which behaves the same. If the
 * script keeps running as usual, the attacker can observe it.
 */

import type { Bytes } from '../src/syntax/ast.ts'
import type { Attack, Finding, Host } from './attack.ts'
import { runHost } from './host.ts'

const REPLACED = [
  'print',
  'tostring',
  'pcall',
  'setmetatable',
  'getfenv',
  'string.char',
  'string.byte',
  'string.sub',
  'string.gsub',
  'table.concat',
]

export const replaced: Attack = {
  id: 'T13',
  name: 'ten replaced library functions',
  run: ({ source }, { code }, host) => replaceAll(source, code, RUN, host),
}

/** @param run Lua code that replaces the function named by `target` and starts the script. */
export async function replaceAll(source: Bytes, code: Bytes, run: Bytes, host: Host): Promise<Finding> {
  const wanted = await runHost(host, run, [source])
  const names: string[] = []
  for (const name of REPLACED) {
    const ran = await runHost(host, `local target = '${name}'\n${run}`, [code])
    if (ran.error === null && ran.output === wanted.output) names.push(name)
  }
  return {
    score: 1 - names.length / REPLACED.length,
    evidence: `${names.length} of ${REPLACED.length} unnoticed: ${names.join(', ')}`,
  }
}

const RUN = `
local getfenv, type, chunk = getfenv, type, assert(loadfile(arg[1]))
if target then
  local library, name = target:match('^(%a+)%.(%a+)$')
  local holder = library and _G[library] or _G
  name = name or target
  local real = holder[name]
  holder[name] = function(...) return real(...) end
  if name == 'getfenv' then
    holder[name] = function(level)
      local found = real(level == nil and 2 or type(level) == 'number' and level > 0 and level + 1 or level)
      return found
    end
  end
end
chunk('first')
`
