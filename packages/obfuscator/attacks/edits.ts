/**
 * T11: changes single bytes in numbers and strings, so that the code remains valid Lua, and runs the script.
 * An attacker who can make blind edits can also patch the script, so a modified script should fail instead of
 * running with different behavior.
 */

import { Diagnostics } from '../src/diagnostics.ts'
import { createRandom, type Random } from '../src/random.ts'
import type { Bytes } from '../src/syntax/ast.ts'
import { tokenize } from '../src/syntax/lexer.ts'
import { Token } from '../src/syntax/tokens.ts'
import type { Attack, Host } from './attack.ts'
import { runHost } from './host.ts'

const EDITS = 60

export const edits: Attack = {
  id: 'T11',
  name: 'one-byte edits',
  async run({ name, source }, { code }, host) {
    const list = editsOf(code, createRandom(name, 'edits'))
    const { refused, wrong } = await tryEdits({ source, code }, list, host)
    return {
      score: Math.max(0, (refused - wrong) / list.length),
      evidence: `${list.length} edits: ${refused} refused, ${wrong} silently wrong`,
    }
  },
}

/** Replaces the bytes at offset `at` with `text`, which has the same length as the original bytes. */
export type Edit = { readonly at: number; readonly text: Bytes }

export type Tried = { readonly refused: number; readonly wrong: number }

/**
 * Applies each edit on its own and runs the script. Counts the runs that fail, and the runs whose output
 * differs.
 */
export async function tryEdits(
  { source, code }: { readonly source: Bytes; readonly code: Bytes },
  list: readonly Edit[],
  host: Host,
): Promise<Tried> {
  const lines = list.map(({ at, text }) => `${at + 1} ${Buffer.from(text, 'latin1').toString('hex')}`)
  const ran = await runHost(host, RUN, [source, code, lines.join('\n')], 60)
  const count = (word: string) => ran.output.split('\n').filter((line) => line === word).length
  return { refused: count('refused'), wrong: count('wrong') }
}

function editsOf(code: Bytes, random: Random): Edit[] {
  const tokens = tokenize(code, new Diagnostics(code))
  const places: number[] = []
  for (let i = 0; i < tokens.count; i++) {
    const [start, end] = [tokens.starts[i] ?? 0, tokens.ends[i] ?? 0]
    if (tokens.kinds[i] === Token.Number && /^\d+$/.test(code.slice(start, end)))
      places.push(...span(start, end))
    if (tokens.kinds[i] === Token.String)
      places.push(...span(start + 1, end - 1).filter((at) => isLetter(code, at)))
  }
  return random
    .shuffle(places)
    .slice(0, EDITS)
    .map((at) => ({ at, text: String.fromCharCode(another(code.charCodeAt(at), random)) }))
}

function span(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i)
}

function isLetter(code: Bytes, at: number): boolean {
  return /[A-Za-z]/.test(code[at] ?? '') && code[at - 1] !== '\\'
}

function another(byte: number, random: Random): number {
  const isDigit = byte < 58
  const [low, high] = isDigit ? [49, 57] : byte < 91 ? [65, 90] : [97, 122]
  const next = random.int(low, high - 1)
  return next >= byte ? next + 1 : next
}

// A run that hangs counts as failed, because it gives the attacker no advantage.
const RUN = `
local write, open, concat, pcall, loadstring, tostring = io.write, io.open, table.concat, pcall, loadstring, tostring
local setfenv, setmetatable, select, error, debug, pairs = setfenv, setmetatable, select, error, debug, pairs
local function read(path) local file = open(path, 'rb') local text = file:read('*a') file:close() return text end
local libraries = {}
for _, name in pairs({ 'string', 'table', 'math', 'coroutine' }) do libraries[name] = _G[name] end
local function run(text)
  local chunk = loadstring(text, '=script')
  if not chunk then return nil end
  local lines, own = {}, {}
  for name, library in pairs(libraries) do
    own[name] = {}
    for k, v in pairs(library) do own[name][k] = v end
  end
  own.print = function(...)
    local line = {}
    for i = 1, select('#', ...) do line[i] = tostring((select(i, ...))) end
    lines[#lines + 1] = concat(line, '\\t')
  end
  own._G = own
  debug.sethook(function() error('stop', 0) end, '', 5000000)
  local ok = pcall(setfenv(chunk, setmetatable(own, { __index = _G })))
  debug.sethook()
  if not ok then return nil end
  return concat(lines, '\\n')
end
local wanted = run(read(arg[1]))
local text = read(arg[2])
for at, hex in read(arg[3]):gmatch('(%d+) (%x+)') do
  at = at + 0
  local put = hex:gsub('%x%x', function(digits) return string.char(tonumber(digits, 16)) end)
  local got = run(text:sub(1, at - 1) .. put .. text:sub(at + #put))
  if got == wanted then write('same\\n') elseif got == nil then write('refused\\n') else write('wrong\\n') end
end
`
