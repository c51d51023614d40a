/**
 * Generates the Lua code that checks library functions: whether they are native, and whether they are the
 * host's originals. `coroutine.wrap` and the `newcclosure` of executors turn an attacker's Lua function into
 * a native function. Such a function still has an upvalue, and errors raised inside it carry a source
 * position.
 */

import type { Random } from '../random.ts'

type Folding = {
  readonly random: Random
  /** The number that is folded into `key` for a function that passes every check. */
  readonly plain: number
  readonly factor: number
  readonly modulus: number
}

/**
 * One check of a function. `lua` contains its Lua declarations, `doubt` is a condition that is true for a
 * suspicious function, and `trust` is a statement that disables the check on hosts where it gives unusual
 * results.
 */
type Question = { readonly lua: string; readonly doubt: string; readonly trust: string }

/**
 * Uses `debug` functions and `string.dump` only if they are native themselves, because hosts may replace
 * those too.
 *
 * @param natives Lua expressions that evaluate to the functions to check.
 */
export function lookAtNatives(natives: readonly string[], folding: Folding): string {
  const { random, plain, factor, modulus } = folding
  const questions = random.shuffle([DUMPED, sourced(random), kinded(random), PLACED])
  const ways = questions.map(({ doubt }) => `if ${doubt} then found = ${random.int(1009, 99_991)} end`)
  return `
    do
      local guard, match, dump, tools, info, getinfo = pcall, (' ').match, (' ').dump
      ${questions.map(({ lua }) => lua).join('\n')}
      local function look(native)
        local found = ${plain}
        ${random.shuffle(ways).join('\n')}
        key = (key * ${factor} + found) % ${modulus}
      end
      if guard then
        guard(function() tools = debug end)
        if tools then info, getinfo = tools.info, tools.getinfo end
        ${questions.map(({ trust }) => trust).join('\n')}
      else dump, blames = nil end
      ${random.shuffle(natives.map((name) => `look(${name})`)).join(' ')}
    end`
}

/** Native functions have no bytecode that `string.dump` could return. */
const DUMPED: Question = {
  lua: '',
  doubt: 'dump and guard(dump, native)',
  trust: 'if dump and guard(dump, dump) then dump = nil end',
}

function sourced(random: Random): Question {
  const [usual, other] = twoNumbers(random)
  return {
    lua: `
      local function source(native)
        local _, place = guard(info, native, 's')
        ${choice(random, "place == '[C]'", usual, other)}
      end`,
    doubt: `info and source(native) ~= ${usual}`,
    trust: `if info and source(info) ~= ${usual} then info = nil end`,
  }
}

/** The functions to check have no upvalues on any host. */
function kinded(random: Random): Question {
  const [usual, other] = twoNumbers(random)
  return {
    lua: `
      local function kind(native)
        local isKnown, facts = guard(getinfo, native, 'Su')
        ${choice(random, "isKnown and facts and (facts.what == 'Lua' or (facts.nups or 0) > 0)", other, usual)}
      end`,
    doubt: `getinfo and kind(native) ~= ${usual}`,
    trust: `if getinfo and kind(getinfo) ~= ${usual} then getinfo = nil end`,
  }
}

/** A host adds a source position to an error only if the caller is a Lua function. */
const PLACED: Question = {
  lua: `
    local blames = function(native)
      local _, text = guard(native, {})
      local isText, place = guard(match, text, '^[^(]*:%d+:')
      return isText and place
    end`,
  doubt: 'blames and blames(native)',
  trust: 'if blames(match) then blames = nil end',
}

function twoNumbers(random: Random): [number, number] {
  return [random.int(1009, 99_991), random.int(1, 999)]
}

function choice(random: Random, condition: string, value: number, other: number): string {
  return random.pick([
    `return ${condition} and ${value} or ${other}`,
    `if ${condition} then return ${value} end return ${other}`,
  ])
}
