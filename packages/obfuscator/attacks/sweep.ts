/**
 * T4 and T5: search everything that `debug` can reach: upvalues, tables, metatables, environments, coroutine
 * stacks, and the constants of functions from `string.dump`. T4 counts evaluated strings, except those that
 * the original holds at the same moments: when it prints, and during each function's first four calls to each
 * library function. T5 counts all other strings. It also tries everything that looks like decryption: tables
 * with an `__index` function, and functions that take a number.
 */

import type { Bytes } from '../src/syntax/ast.ts'
import { type Attack, gained, type Host } from './attack.ts'
import { runHost } from './host.ts'
import { CHECKED, PRELUDE, reported, within } from './recorded.ts'

export const sweep: Attack = {
  id: 'T4',
  name: 'memory scan: evaluated strings',
  async run({ source, secrets }, { code }, host) {
    const held = within(await sweepOf(source, 'values', host), secrets.executed)
    const hidden = new Set([...secrets.executed].filter((each) => !held.includes(each)))
    return gained(within(await sweepOf(code, 'constants', host), hidden), hidden)
  },
}

export const coldSweep: Attack = {
  id: 'T5',
  name: 'memory scan: cold strings',
  async run({ secrets }, { code }, host) {
    return gained(within(await sweepOf(code, 'everything', host), secrets.cold), secrets.cold)
  },
}

/**
 * `values` searches the values that the program can reach. `constants` also searches the constants of its
 * functions. `everything` also searches the results of calling its functions.
 */
type Depth = 'values' | 'constants' | 'everything'

/**
 * Runs the script with everything hooked, and again without hooking the functions that scripts may check.
 */
async function sweepOf(code: Bytes, depth: Depth, host: Host): Promise<Bytes[]> {
  const script = `local depth = '${depth}'\n${PRELUDE}${WALK}${RUN}`
  const runs = ['{}', CHECKED].map((alone) => runHost(host, `local alone = ${alone}\n${script}`, [code]))
  return (await Promise.all(runs)).flatMap(({ output }) => reported(output))
}

const WALK = `
local debug, pcall, next, dump, setmetatable, error = debug, pcall, next, string.dump, setmetatable, error
local remove = table.remove
local library = { [_G] = true, [package] = true, [package.loaded] = true, [seen] = true }
for _, value in pairs(_G) do library[value] = true end
for _, value in pairs(package.loaded) do library[value] = true end
local visited, open, origin
local function isTarget(f) return debug.getinfo(f, 'S').source == origin end
local function push(value)
  see(value)
  local kind = type(value)
  if kind == 'table' or kind == 'function' or kind == 'thread' or kind == 'userdata' then
    if not visited[value] and not library[value] then visited[value] = true open[#open + 1] = value end
  end
end
local function stack(thread, level)
  while true do
    local frame = thread and debug.getinfo(thread, level, 'f') or not thread and debug.getinfo(level, 'f')
    if not frame then return end
    push(frame.func)
    for i = 1, 300 do
      local name, value
      if thread then name, value = debug.getlocal(thread, level, i) else name, value = debug.getlocal(level, i) end
      if not name then break end
      push(value)
    end
    level = level + 1
  end
end
local functions, answering = {}, {}
local function walk()
  while #open > 0 do
    local value = remove(open)
    local kind = type(value)
    local meta = debug.getmetatable(value)
    if meta then push(meta) end
    if kind == 'table' then
      for k, v in next, value do push(k) push(v) end
      if meta and type(meta) == 'table' and type(rawget(meta, '__index')) == 'function' then answering[value] = true end
    elseif kind == 'function' then
      if isTarget(value) then functions[value] = true end
      for i = 1, 250 do
        local name, held = debug.getupvalue(value, i)
        if not name then break end
        push(held)
      end
      push(debug.getfenv(value))
      if depth ~= 'values' and isTarget(value) then
        local ok, text = pcall(dump, value)
        if ok then see(text) end
      end
    elseif kind == 'thread' then
      stack(value, 0)
    end
  end
end
`

const RUN = `
local kept, sweeps = {}, 0
local looked = {}
local function look(name)
  local caller = debug.getinfo(3, 'f')
  local place = caller and caller.func or look
  local places = looked[name] or {}
  looked[name] = places
  places[place] = (places[place] or 0) + 1
  if sweeps >= 300 or (places[place] > 4 and name ~= 'print') then return end
  sweeps = sweeps + 1
  debug.sethook()
  visited, open = {}, {}
  stack(nil, 3)
  walk()
  debug.sethook(function() kept[debug.getinfo(2, 'f').func] = true end, 'c')
end
local function hooked(real, name) return function(...) look(name) return real(...) end end
local getfenv, setfenv = getfenv, setfenv
local hooks = {}
for _, holder in pairs({ string, table, math }) do
  for name, real in pairs(holder) do if type(real) == 'function' then hooks[#hooks + 1] = { holder, name, real } end end
end
for _, name in pairs({ 'tostring', 'select', 'setmetatable', 'ipairs', 'type' }) do hooks[#hooks + 1] = { _G, name, _G[name] } end
_G.print = function() look('print') end
local chunk = loadfile(arg[1])
origin = chunk and debug.getinfo(chunk, 'S').source
for _, hook in pairs(hooks) do
  if not alone[hook[2]] then hook[1][hook[2]] = hooked(hook[3], hook[2]) library[hook[1][hook[2]]] = true end
end
if chunk then
  debug.sethook(function() kept[debug.getinfo(2, 'f').func] = true end, 'c')
  local ok = pcall(chunk)
  debug.sethook()
end
for _, hook in pairs(hooks) do hook[1][hook[2]] = hook[3] end
sweeps = 300
visited, open = { [kept] = true }, {}
if chunk then push(chunk) end
for value in pairs(kept) do if value ~= look then push(value) end end
walk()
local function try(f, ...)
  debug.sethook(function() error('stop') end, '', 100000)
  local ok, answer = pcall(f, ...)
  debug.sethook()
  if ok then see(answer) end
end
if depth == 'everything' then
  local list = {}
  for value in pairs(functions) do if value ~= chunk then list[#list + 1] = value end end
  for value in pairs(answering) do for i = 1, 500 do try(function() return value[i] end) end end
  for _, value in pairs(list) do
    for i = 1, 100 do try(value, i) try(value, nil, i) try(value, {}, i) end
  end
end
report()
`
