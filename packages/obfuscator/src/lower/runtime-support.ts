/**
 * The functions that lowered Luau calls at run time. Each is declared at the top of the chunk when it is
 * used, and captures the library functions that it needs before the script can change them.
 */

import type { Symbols } from '../semantics/symbols.ts'
import { instantiate } from '../semantics/template.ts'
import type { LocalName, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { bind, use } from '../syntax/nodes.ts'
import { classLength, classLibrary, classType, classTypeof, makeClass } from './class-runtime.ts'

export type SupportName = keyof typeof texts

export type Support = {
  /** A reference to the function, which is then declared. */
  use(name: SupportName, at: Offset): LocalName
  /** The declarations of the functions that were used. */
  prologue(at: Offset): readonly Statement[]
}

export function createSupport(symbols: Symbols): Support {
  const used = new Map<SupportName, SymbolId>()
  return {
    use(name, at) {
      const symbol = used.get(name) ?? symbols.fresh()
      used.set(name, symbol)
      return use(symbol, at)
    },
    prologue: (at) =>
      [...used].flatMap(([name, symbol]) => [
        { kind: 'Local', at, bindings: [bind(symbol, at)], values: [] },
        ...instantiate(texts[name], { result: symbol }, symbols, at),
      ]),
  }
}

const texts = {
  tostring: 'result = tostring',

  // Hosts that cannot freeze a table leave it writable.
  freeze: 'result = table.freeze or function(exports) return exports end',

  makeClass,
  classType,
  classTypeof,
  classLibrary,
  classLength,

  // All values are evaluated before the first is converted to text, as in Luau: `__tostring` may change the
  // others.
  interpolate: `
    do
      local text, concat, count = tostring, table.concat, select
      result = function(...)
        local pieces = {...}
        for i = 2, count('#', ...), 2 do pieces[i] = text(pieces[i]) end
        return concat(pieces)
      end
    end`,

  // Luau floors the quotient of numbers and of numeric strings, and calls __idiv otherwise.
  floorDivide: `
    do
      local floor, number, meta, kind, fail = math.floor, tonumber, getmetatable, type, error
      local function method(value)
        local metatable = meta(value)
        return kind(metatable) == 'table' and metatable.__idiv
      end
      result = function(a, b)
        local x, y = number(a), number(b)
        if x and y then return floor(x / y) end
        local divide = method(a) or method(b)
        if divide then return (divide(a, b)) end
        fail('attempt to perform arithmetic (//) on ' .. kind(a) .. ' and ' .. kind(b), 2)
      end
    end`,

  // Luau iterates by itself; elsewhere a plain table is iterated by `next`.
  iterate: `
    do
      local step, meta, kind, isLuau = next, getmetatable, type, _VERSION == 'Luau'
      result = function(f, s, c)
        if isLuau or kind(f) ~= 'table' then return f, s, c end
        local metatable = meta(f)
        if kind(metatable) == 'table' then
          if metatable.__iter then return metatable.__iter(f) end
          if metatable.__call then return f, s, c end
        end
        return step, f
      end
    end`,
} as const
