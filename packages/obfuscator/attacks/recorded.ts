/** Records the strings that an attacker sees in a running script, on any host. */

import type { Bytes } from '../src/syntax/ast.ts'

/**
 * The prelude of every attack on running code. `see` records a string, and `report` prints all recorded
 * strings. The prelude saves the original library functions before anything is hooked.
 */
export const PRELUDE = `
local seen, write = {}, io.write
local gsub, format, byte, type, pairs, loadfile = string.gsub, string.format, string.byte, type, pairs, loadfile
local function see(value) if type(value) == 'string' then seen[value] = true end end
local function report()
  for text in pairs(seen) do
    write((gsub(text, '.', function(c) return format('%02x', byte(c)) end)), '\\n')
  end
end
`

/**
 * Functions that a script can use to detect hooks, as a Lua table. Attackers leave these functions unhooked.
 */
export const CHECKED = tableOf(['setmetatable', 'getfenv', 'byte', 'char', 'sub'])

/** Like `CHECKED`, but for the `max` preset, which also checks functions that some libraries replace. */
export const CHECKED_AT_MAX = tableOf([
  'setmetatable',
  'getfenv',
  'byte',
  'char',
  'sub',
  'tostring',
  'pcall',
  'gsub',
  'concat',
])

function tableOf(names: readonly string[]): string {
  return `{ ${names.map((name) => `['${name}'] = true`).join(', ')} }`
}

/** Parses the strings that `report` printed. */
export function reported(output: Bytes): Bytes[] {
  return output.split('\n').map(fromHex)
}

/** Returns the wanted strings that occur in any of the recorded strings. */
export function within(seen: readonly Bytes[], wanted: Iterable<Bytes>): Bytes[] {
  const all = seen.join('\n\0\n')
  return [...wanted].filter((each) => all.includes(each))
}

export function toHex(text: Bytes): string {
  return text.replace(/[\s\S]/g, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'))
}

export function fromHex(digits: string): Bytes {
  return digits.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)))
}
