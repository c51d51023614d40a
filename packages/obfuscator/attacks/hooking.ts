/** Runs a script with hooks on every library function and on its environment, on any host. */

import type { Bytes } from '../src/syntax/ast.ts'
import type { RunLua } from './attack.ts'
import { CHECKED, CHECKED_AT_MAX, PRELUDE, reported } from './recorded.ts'

/**
 * Returns every string that the hooks recorded. Runs the script once with everything hooked, and twice
 * without hooking functions that scripts may check.
 */
export async function seenByHooks(code: Bytes, run: RunLua): Promise<Bytes[]> {
  const runs = ['{}', CHECKED, CHECKED_AT_MAX].map((alone) =>
    run(`local alone = ${alone}\n${PRELUDE}${HOOKS}`, [code]),
  )
  return (await Promise.all(runs)).flatMap(reported)
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
