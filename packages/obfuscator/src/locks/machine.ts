/**
 * The register machine that runs the bytecode of locked functions. Its handlers are the same in every build,
 * whatever the locked functions do. The bytecode is encrypted in the lock. Without the bytecode, the output
 * does not reveal which handlers a function uses. Only the numbers of the opcodes differ between builds.
 */

import type { Random } from '../random.ts'
import type { Target } from '../semantics/target.ts'

/**
 * The number of operands of an instruction, and the Lua code that runs the instruction. In that code, the
 * operands are named `a`, `b` and `c`.
 */
type Handler = readonly [operands: number, lua: string]

/** Calls with few arguments are made directly, to avoid the cost of `unpack`. */
function callOf(before: string): string {
  return `if b == 0 then ${before}R[a]()
    elseif b == 1 then ${before}R[a](R[a + 1])
    elseif b == 2 then ${before}R[a](R[a + 1], R[a + 2])
    else ${before}R[a](unpack(R, a + 1, b < 0 and top or a + b)) end`
}

const ARITHMETIC = {
  add: '+',
  subtract: '-',
  multiply: '*',
  divide: '/',
  modulo: '%',
  power: '^',
  join: '..',
} as const

const COMPARISONS = {
  equal: '==',
  unequal: '~=',
  less: '<',
  atMost: '<=',
  greater: '>',
  atLeast: '>=',
} as const

export type Comparison = keyof typeof COMPARISONS

/** An operation whose right operand may be a constant, as in `addConstant`. */
type Operation = keyof typeof ARITHMETIC | Comparison

type OperationOpcode = Operation | `${Operation}Constant` | `${Comparison}Else` | `${Comparison}ConstantElse`

export function isComparison(opcode: Opcode): opcode is Comparison {
  return opcode in COMPARISONS
}

/** Whether the right operand of the operation may be a constant. */
export function isOperation(opcode: Opcode): opcode is Operation {
  return opcode in ARITHMETIC || opcode in COMPARISONS
}

function operations(): Readonly<Record<OperationOpcode, Handler>> {
  const handlers: [string, Handler][] = []
  for (const [name, operator] of Object.entries({ ...ARITHMETIC, ...COMPARISONS })) {
    handlers.push([name, [3, `R[a] = R[b] ${operator} R[c]`]])
    handlers.push([`${name}Constant`, [3, `R[a] = R[b] ${operator} K[c]`]])
  }
  // These opcodes combine a comparison with a jump. The jump is taken if the comparison is false.
  for (const [name, operator] of Object.entries(COMPARISONS)) {
    handlers.push([`${name}Else`, [3, `if R[a] ${operator} R[b] then p = p + 4 else p = c end`]])
    handlers.push([`${name}ConstantElse`, [3, `if R[a] ${operator} K[b] then p = p + 4 else p = c end`]])
  }
  return Object.fromEntries(handlers) as Record<OperationOpcode, Handler>
}

/**
 * `R` holds the registers, `K` the constants and `U` the upvalues of the function. An upvalue is a value or a
 * cell. A cell is a table with one item, which holds a variable that several functions share. `top` is the
 * last register of an open list, whose count is -1. `p` is the address of the current instruction.
 */
const HANDLERS = {
  move: [2, 'R[a] = R[b]'],
  constant: [2, 'R[a] = K[b]'],
  clear: [2, 'for i = a, b do R[i] = nil end'],
  boolean: [2, 'R[a] = b > 0'],
  upvalue: [2, 'R[a] = U[b]'],
  upvalueField: [3, 'R[a] = U[b][K[c]]'],
  getShared: [2, 'R[a] = U[b][1]'],
  setShared: [2, 'U[a][1] = R[b]'],
  makeCell: [1, 'R[a] = { R[a] }'],
  getCell: [2, 'R[a] = R[b][1]'],
  setCell: [2, 'R[a][1] = R[b]'],
  index: [3, 'R[a] = R[b][R[c]]'],
  field: [3, 'R[a] = R[b][K[c]]'],
  setIndex: [3, 'R[a][R[b]] = R[c]'],
  setField: [3, 'R[a][K[b]] = R[c]'],
  not: [2, 'R[a] = not R[b]'],
  negate: [2, 'R[a] = -R[b]'],
  length: [2, 'R[a] = #R[b]'],
  jump: [1, 'p = a'],
  jumpIf: [2, 'if R[a] then p = b else p = p + 3 end'],
  jumpUnless: [2, 'if R[a] then p = p + 3 else p = b end'],
  run: [2, callOf('')],
  call: [2, callOf('R[a] = ')],
  callLast: [2, callOf('return ')],
  callMany: [3, 'top = collect(R, a, c, R[a](unpack(R, a + 1, b < 0 and top or a + b)))'],
  leave: [2, 'if b == 1 then return R[a] else return unpack(R, a, b < 0 and top or a + b - 1) end'],
  varargs: [3, 'top = collect(R, a, b, select(c, ...))'],
  closure: [3, 'R[a] = make(b, { unpack(R, a + 1, a + c) }, K)'],
  list: [3, 'R[a] = { unpack(R, b, c < 0 and top or c) }'],
  record1: [3, 'R[a] = { [R[a + 1]] = R[a + 2], unpack(R, b, c < 0 and top or c) }'],
  record2: [3, `R[a] = { ${pairsFrom(2)}, unpack(R, b, c < 0 and top or c) }`],
  record4: [3, `R[a] = { ${pairsFrom(4)}, unpack(R, b, c < 0 and top or c) }`],
  record8: [3, `R[a] = { ${pairsFrom(8)}, unpack(R, b, c < 0 and top or c) }`],
  next: [
    3,
    `collect(R, a + 3, b, R[a](R[a + 1], R[a + 2]))
     if R[a + 3] == nil then p = c else R[a + 2] = R[a + 3] p = p + 4 end`,
  ],
  // A native loop converts and checks the three numbers, and determines whether there is a first iteration.
  startCount: [
    2,
    `local found
     for i = R[a], R[a + 1], R[a + 2] do found = i break end
     if found then R[a], R[a + 1], R[a + 2], R[a + 3], p = found, R[a + 1] + 0, R[a + 2] + 0, found, p + 3 else p = b end`,
  ],
  // Integers in Lua 5.4 wrap around at the end of their range, which ends the loop.
  count: [
    2,
    `local last, limit, step = R[a], R[a + 1], R[a + 2]
     local i = last + step
     if step > 0 and (i > limit or i < last) or step <= 0 and (i < limit or i > last) or i ~= i or limit ~= limit then p = p + 3
     else R[a], R[a + 3], p = i, i, b end`,
  ],
} as const satisfies Record<string, Handler>

/** Lua and LuaJIT look up a method before they evaluate its arguments. Luau looks it up afterward. */
const METHODS: Readonly<Record<Target, Readonly<Record<'self' | 'method', Handler>>>> = {
  any: methods('if not isLuau then', 'if isLuau then'),
  lua51: methods('do', 'if false then'),
  luajit: methods('do', 'if false then'),
  lua54: methods('do', 'if false then'),
  luau: methods('if false then', 'do'),
}

function methods(early: string, late: string): Record<'self' | 'method', Handler> {
  return {
    self: [3, `R[a + 1] = R[b] ${early} R[a] = R[b][K[c]] end`],
    method: [2, `${late} R[a] = R[a + 1][K[b]] end`],
  }
}

const HOSTED = {
  floorDivide: [3, 'R[a] = R[b] // R[c]'],
  bitAnd: [3, 'R[a] = R[b] & R[c]'],
  bitOr: [3, 'R[a] = R[b] | R[c]'],
  bitXor: [3, 'R[a] = R[b] ~ R[c]'],
  shiftLeft: [3, 'R[a] = R[b] << R[c]'],
  shiftRight: [3, 'R[a] = R[b] >> R[c]'],
  bitNot: [2, 'R[a] = ~R[b]'],
} as const satisfies Record<string, Handler>

const HOSTED_BY: Readonly<Record<Target, readonly (keyof typeof HOSTED)[]>> = {
  any: [],
  lua51: [],
  luajit: [],
  luau: ['floorDivide'],
  lua54: ['floorDivide', 'bitAnd', 'bitOr', 'bitXor', 'shiftLeft', 'shiftRight', 'bitNot'],
}

export type Opcode =
  | keyof typeof HANDLERS
  | OperationOpcode
  | keyof typeof HOSTED
  | 'self'
  | 'method'
  | 'isLuau'
  | 'iterate'

const LUAU: Readonly<Record<'isLuau' | 'iterate', Handler>> = {
  isLuau: [1, 'R[a] = isLuau'],
  // Luau iterates over plain tables, and calls `__iter` on tables whose metatable has it.
  iterate: [
    1,
    `local values, kind = R[a], type(R[a])
     local metatable = kind ~= 'function' and meta(values)
     if type(metatable) == 'table' and metatable.__iter then
       collect(R, a, 3, metatable.__iter(values))
     elseif kind == 'table' and not (type(metatable) == 'table' and metatable.__call) then
       R[a], R[a + 1], R[a + 2] = following, values, nil
     end`,
  ],
}

function pairsFrom(count: number): string {
  return Array.from({ length: count }, (_, i) => `[R[a + ${2 * i + 1}]] = R[a + ${2 * i + 2}]`).join(', ')
}

/** The opcodes of one build, and the Lua code that runs their instructions. */
export class Machine {
  readonly #handlers: ReadonlyMap<Opcode, Handler>
  readonly #numbers: ReadonlyMap<Opcode, number>
  /** Whether the machine may look up a method after evaluating the arguments. */
  readonly looksUpLate: boolean

  constructor(target: Target, random: Random) {
    this.looksUpLate = target === 'any' || target === 'luau'
    const { isLuau, iterate } = LUAU
    const handlers: Readonly<Partial<Record<Opcode, Handler>>> = {
      ...HANDLERS,
      ...operations(),
      ...METHODS[target],
      ...(target === 'any' ? { isLuau } : {}),
      ...(target === 'luau' ? { iterate } : {}),
      ...Object.fromEntries(HOSTED_BY[target].map((name) => [name, HOSTED[name]])),
    }
    this.#handlers = new Map(random.shuffle(Object.entries(handlers)) as [Opcode, Handler][])
    this.#numbers = new Map([...this.#handlers.keys()].map((opcode, i) => [opcode, i + 1]))
  }

  has(opcode: Opcode): boolean {
    return this.#numbers.has(opcode)
  }

  /** Returns the words of an instruction: its opcode, followed by its operands. */
  encode(opcode: Opcode, operands: readonly number[]): number[] {
    const number = this.#numbers.get(opcode)
    const length = this.#handlers.get(opcode)?.[0]
    if (number === undefined || length !== operands.length) throw new Error(`no such instruction: ${opcode}`)
    return [number, ...operands]
  }

  /**
   * Lua code that defines `machine`, which creates a function from the bytecode in a lock. `open` decrypts
   * the contents of a lock.
   */
  get lua(): string {
    const code = [...this.#handlers.values()].map(([operands, lua]) =>
      /\bp = |return /.test(lua) ? lua : `${lua} p = p + ${operands + 1}`,
    )
    return `
    do
      local unpack, select, proxy, meta, type, following, isLuau = unpack or table.unpack, select, setmetatable, getmetatable, type, next, _VERSION == 'Luau'
      local function collect(R, from, wanted, ...)
        local count, values = select('#', ...), { ... }
        if wanted < 0 then wanted = count end
        for i = 1, wanted do R[from + i - 1] = values[i] end
        return from + wanted - 1
      end
      local function make(start, U, opened, lock, place)
        return function(...)
          local K = opened or open(lock, place)
          local W, R, p, top = K[0], { ... }, start, 0
          while true do
            local op, a, b, c = W[p], W[p + 1], W[p + 2], W[p + 3]
            ${treeOf(code, 1)}
          end
        end
      end
      machine = function(lock, place, cells, ...)
        local U, count = {}, 0
        for i = 1, #cells, 2 do
          count = count + 1
          U[count] = proxy({}, { __index = cells[i], __newindex = cells[i + 1] })
        end
        for i = 1, select('#', ...) do U[count + i] = (select(i, ...)) end
        return make(1, U, false, lock, place)
      end
    end`
  }
}

/** Generates a binary tree of comparisons that finds the handler of `op`. */
function treeOf(code: readonly string[], first: number): string {
  if (code.length === 1) return code[0] ?? ''
  const half = code.length >> 1
  const [low, high] = [treeOf(code.slice(0, half), first), treeOf(code.slice(half), first + half)]
  return `if op < ${first + half} then ${low} else ${high} end`
}
