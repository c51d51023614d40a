/**
 * T17: edits by an attacker who has read the output. The attacker negates conditions and results, injects a
 * call after the startup code on the same line, and wraps the script's own decryption functions to read and
 * change its strings.
 */

import { Diagnostics } from '../src/diagnostics.ts'
import type { Bytes } from '../src/syntax/ast.ts'
import { tokenize } from '../src/syntax/lexer.ts'
import { Token } from '../src/syntax/tokens.ts'
import type { Attack, Host } from './attack.ts'
import { type Edit, tryEdits } from './edits.ts'
import { runHost } from './host.ts'
import { PRELUDE, reported, within } from './recorded.ts'
import { callAtSeam } from './seam.ts'
import { readTree, wordsOf } from './tree.ts'

const MAX_EDITS = 120

export const chosenEdits: Attack = {
  id: 'T17',
  name: 'targeted edits: code, injection, strings',
  async run({ source, secrets }, { code }, host) {
    const [open, turned] = [await turn(source, source, host), await turn(source, code, host)]
    const runs = await Promise.all(['', 'look', 'change'].map((how) => runAtSeam(code, how, host)))
    const [plain, looked, changed] = runs.map(({ printed }) => printed)
    const isInjected = looked === plain && runs[1]?.isCalled === true
    const seen = within([...(runs[1]?.texts ?? []), ...wordsOf(readTree(code)).strings], secrets.executed)
    const isChanged = (changed !== null && changed !== plain) || (await changesTexts(source, code, host))
    const parts = [
      open === 0 ? 0 : Math.min(1, turned / open),
      isInjected ? 1 : 0,
      seen.length / secrets.executed.size,
      isChanged ? 1 : 0,
    ]
    const score = 1 - parts.reduce((sum, each) => sum + each, 0) / parts.length
    const evidence = `${turned} edits of code (${open} in the source), injection ${isInjected}, ${seen.length} of ${secrets.executed.size} texts logged, changed ${isChanged}`
    return { score, evidence }
  },
}

/** The number of edits that make the script behave differently without an error. */
async function turn(source: Bytes, code: Bytes, host: Host): Promise<number> {
  return (await tryEdits({ source, code }, turnsOf(code), host)).wrong
}

/** Each replacement has the length of the original, so that the offsets of other code don't change. */
const TURNS: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^return false\b/, () => 'return true '],
  [/^return true\b/, () => 'return nil '],
  [/^[~=]=/, (found) => (found === '==' ? '~=' : '==')],
  [/^<(?!=)/, () => '>'],
  [/^>(?!=)/, () => '<'],
  [/^(?:and)\b/, () => 'or '],
  [/^not\b/, () => '   '],
]

/**
 * Returns the last edits in the code, because the startup code comes first. Skips comparisons with a literal
 * number, because dispatch loops use them to select blocks.
 */
function turnsOf(code: Bytes): Edit[] {
  const tokens = tokenize(code, new Diagnostics(code))
  const found: Edit[] = []
  for (let i = 0; i < tokens.count; i++) {
    const [at, next] = [tokens.starts[i] ?? 0, tokens.kinds[i + 1]]
    if (tokens.kinds[i] === Token.String || next === Token.Number) continue
    const rest = code.slice(at, at + 16)
    for (const [pattern, turned] of TURNS) {
      const match = pattern.exec(rest)
      if (match) found.push({ at, text: turned(match[0]) })
    }
  }
  return found.slice(-MAX_EDITS)
}

/** Whether editing a string in place changes what the script prints. */
async function changesTexts(source: Bytes, code: Bytes, host: Host): Promise<boolean> {
  const tokens = tokenize(code, new Diagnostics(code))
  const list: Edit[] = []
  for (let i = 0; i < tokens.count; i++) {
    const [start, end] = [tokens.starts[i] ?? 0, tokens.ends[i] ?? 0]
    const text = code.slice(start, end)
    if (tokens.kinds[i] === Token.String && /^.[\w ]{5,}.$/.test(text))
      list.push({ at: start + 1, text: text[1] === 'x' ? 'y' : 'x' })
  }
  return (await tryEdits({ source, code }, list.slice(-MAX_EDITS), host)).wrong > 0
}

type AtSeam = {
  /** The output of the script; null if the script ends with an error. */
  readonly printed: Bytes | null
  readonly texts: readonly Bytes[]
  readonly isCalled: boolean
}

/**
 * @param how `look` logs the decrypted strings, and `change` also changes words in them. If `how` is empty,
 * the script runs without any edit.
 */
async function runAtSeam(code: Bytes, how: string, host: Host): Promise<AtSeam> {
  const text = how === '' ? code : callAtSeam(code, '__seam')
  const { output, error } = await runHost(host, `local how = '${how}'\n${PRELUDE}${RUN}`, [text])
  const [printed = '', called = '', ...rest] = output.split('\0')
  return {
    printed: error === null ? printed : null,
    isCalled: called === 'called',
    texts: reported(rest.join('')),
  }
}

const RUN = `
local rawget, getmetatable, setmetatable, called = rawget, getmetatable, setmetatable, ''
local function answer(text)
  see(text)
  if how ~= 'change' or type(text) ~= 'string' then return text end
  return (gsub(text, ' %l%l', ' xx'))
end
local function wrap(f) return function(...) return answer((f(...))) end end
function __seam(found)
  called = 'called'
  for _, value in pairs(found) do
    local meta = type(value) == 'table' and getmetatable(value)
    if type(value) == 'table' then
      for k, held in pairs(value) do
        if type(held) == 'function' and held ~= tonumber then value[k] = wrap(held) else see(held) end
      end
    end
    if meta and type(meta.__index) == 'function' then meta.__index = wrap(meta.__index) end
  end
end
assert(loadfile(arg[1]))('first')
write('\\0', called, '\\0')
report()
`
