/**
 * T7: recovers the order of the code without running every branch. The attacker starts the script once, reads
 * the number tables that exist by then, and uses them to follow every dispatch loop from its entry. Both
 * branches of the author's conditions are followed.
 */

import type { Bytes } from '../src/syntax/ast.ts'
import type { Attack, Host } from './attack.ts'
import { follow, type NumberTable } from './follow.ts'
import { runHost } from './host.ts'
import { readTree } from './tree.ts'

export const successors: Attack = {
  id: 'T7',
  name: 'static recovery of control flow',
  async run(_, { code }, host) {
    const { reached, total } = follow(readTree(code), await tablesOf(code, host))
    return { score: 1 - reached / total, evidence: `${reached} of ${total} statements` }
  },
}

/** Runs the script and returns the number tables in its locals, keyed by the local's name. */
async function tablesOf(code: Bytes, host: Host): Promise<Map<string, NumberTable>> {
  const { output } = await runHost(host, DUMP, [code])
  const tables = new Map<string, NumberTable>()
  for (const line of output.split('\n')) {
    const [name = '', ...numbers] = line.split(' ')
    const table = new Map<number, number>()
    for (let i = 0; i + 1 < numbers.length; i += 2) table.set(Number(numbers[i]), Number(numbers[i + 1]))
    if (table.size > (tables.get(name)?.size ?? 0)) tables.set(name, table)
  }
  return tables
}

const DUMP = `
local write, debug, type, pairs, pcall, concat = io.write, debug, type, pairs, pcall, table.concat
local known, calls = {}, 0
local function take(name, value)
  if type(value) ~= 'table' or known[value] == name then return end
  local list = {}
  for k, v in pairs(value) do
    if type(k) == 'number' and type(v) == 'number' then list[#list + 1] = ('%.17g %.17g'):format(k, v) end
  end
  if #list >= 8 then
    known[value] = name
    write(name, ' ', concat(list, ' '), '\\n')
  end
end
local function look(event)
  calls = calls + 1
  if event and calls % 61 > 0 then return end
  for level = 2, 12 do
    local frame = debug.getinfo(level, 'f')
    if not frame then break end
    for i = 1, 250 do
      local name, value = debug.getlocal(level, i)
      if not name then break end
      take(name, value)
    end
    for i = 1, 100 do
      local name, value = debug.getupvalue(frame.func, i)
      if not name then break end
      take(name, value)
    end
  end
end
print = function() look() end
local chunk = loadfile(arg[1])
if chunk then
  debug.sethook(look, 'cr')
  pcall(chunk)
  debug.sethook()
end
`
