/**
 * Runs the attacker's Lua code in Luau. In Luau, scripts are strings instead of files, and `io`, `os.exit`
 * and `debug.sethook` are missing. Without `debug.sethook`, the script's own functions cannot be called from
 * outside.
 */

import type { Bytes } from '../src/syntax/ast.ts'

/**
 * Wraps the attacker's code in a chunk for Luau. The chunk takes three functions: `compile` compiles a string
 * into a function, `read` returns the file with a given number, and `write` outputs one string.
 */
export function forLuau(script: Bytes): Bytes {
  return `${HOST}\n${script}`
}

const HOST = `
local compile, read, emit = ...
local arg = { '1', '2', '3' }
local writeAll = function(...) emit(table.concat({ ... })) end
local io = {
  write = writeAll,
  lines = function(name) return string.gmatch(read(name), '[^\\n]+') end,
  stdout = { flush = function() end },
}
local leave = function() error('the attack is over', 0) end
local os = { exit = leave }
local debug = { sethook = function() end, getinfo = leave }
local loadfile = function(name) return compile(read(name)) end
-- The tables of the library cannot be changed in Luau, so hooks go into copies that only the script sees.
local string, table, math = table.clone(string), table.clone(table), table.clone(math)
local _G = setmetatable({ string = string, table = table, math = math }, { __index = _G })
`
