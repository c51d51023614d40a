/**
 * Runtime functions for lowered code. Each function that is used is declared at the top of the chunk. There,
 * it captures the library functions that it needs before the script can replace them.
 */

import type { Symbols } from '../semantics/symbols.ts'
import { instantiate } from '../semantics/template.ts'
import type { LocalName, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { bind, use } from '../syntax/nodes.ts'
import { classLength, classLibrary, classType, classTypeof, makeClass } from './class-runtime.ts'

export type SupportName = keyof typeof texts

export type Support = {
  /** Returns a reference to the function, and marks the function for declaration. */
  use(name: SupportName, at: Offset): LocalName
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

  // On hosts without `table.freeze`, the table remains writable.
  freeze: 'result = table.freeze or function(exports) return exports end',

  safeIndex: 'result = function(object, key) return object and object[key] end',

  makeClass,
  classType,
  classTypeof,
  classLibrary,
  classLength,

  // As in Luau, all values are evaluated before the first is converted to a string, because `__tostring` may
  // change the other values.
  interpolate: `
    do
      local text, concat, count = tostring, table.concat, select
      result = function(...)
        local pieces = {...}
        for i = 2, count('#', ...), 2 do pieces[i] = text(pieces[i]) end
        return concat(pieces)
      end
    end`,

  // Luau floors the quotient of numbers and numeric strings, and calls `__idiv` for other operands.
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

  // Luau iterates over tables natively. On other hosts, plain tables are iterated with `next`.
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
