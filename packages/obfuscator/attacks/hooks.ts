/**
 * T3: hooks every library function to record arguments and results, and the environment to record reads.
 * Strings that arrive letter by letter are joined. Strings that the original exposes in the same way do not
 * count.
 */

import type { Bytes } from '../src/syntax/ast.ts'
import { type Attack, gained, type Host } from './attack.ts'
import { CHECKED, PRELUDE, reported, runHost, within } from './host.ts'

export const hooks: Attack = {
  id: 'T3',
  name: 'hooked library and environment',
  async run({ source, secrets }, { code }, host) {
    const open = within(await seenOf(source, host), secrets.executed)
    const hidden = new Set([...secrets.executed].filter((each) => !open.includes(each)))
    return gained(within(await seenOf(code, host), hidden), hidden)
  },
}

/**
 * Runs the script with everything hooked, and again without hooking the functions that scripts may check.
 */
async function seenOf(code: Bytes, host: Host): Promise<Bytes[]> {
  const runs = ['{}', CHECKED].map((alone) =>
    runHost(host, `local alone = ${alone}\n${PRELUDE}${HOOKS}`, [code]),
  )
  return (await Promise.all(runs)).flatMap(({ output }) => reported(output))
}

const HOOKS = `
local setfenv, getfenv, select, concat, setmetatable = setfenv, getfenv, select, table.concat, setmetatable
local xpcall = xpcall
local globals, letters = _G, {}
local environment = setmetatable({}, {
  __index = function(_, key) see(key) return globals[key] end,
  __newindex = function(_, key, value) see(key) see(value) globals[key] = value end,
})
local function noted(list, ...)
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    see(value)
    if type(value) == 'string' and #value <= 2 then list[#list + 1] = value end
  end
  return ...
end
local function hooked(real)
  local given, answered = {}, {}
  letters[#letters + 1], letters[#letters + 2] = given, answered
  return function(...) return noted(answered, real(noted(given, ...))) end
end
for _, library in pairs({ string, table, math }) do
  for name, real in pairs(library) do if type(real) == 'function' and not alone[name] then library[name] = hooked(real) end end
end
for _, name in pairs({ 'tostring', 'tonumber', 'select', 'rawget', 'rawset', 'unpack', 'setmetatable', 'getmetatable',
  'pcall', 'error', 'assert', 'type', 'next', 'loadstring', 'load' }) do
  if not alone[name] then globals[name] = hooked(globals[name]) end
end
globals.print = function(...) noted({}, ...) end
globals.getfenv = alone.getfenv and getfenv or function(target) return type(target) == 'function' and getfenv(target) or environment end
globals.setfenv = function(target, env) return setfenv(type(target) == 'number' and target + 1 or target, env) end
local chunk = loadfile(arg[1])
if chunk then xpcall(setfenv(chunk, environment), function() end) end
for _, list in pairs(letters) do see(concat(list)) end
report()
`
