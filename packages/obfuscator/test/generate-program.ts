/**
 * Generates random programs that terminate, print their results and behave the same on every host. They never
 * iterate over tables with several keys and never print fractions.
 */

import type { Random } from '../src/random.ts'

/** The syntax to use: the syntax common to all hosts, optionally with the extensions of Luau or Lua 5.4. */
export type Syntax = 'lua' | 'luau' | 'lua54'

export function generateProgram(random: Random, syntax: Syntax): string {
  return new Generator(random, syntax).program()
}

/**
 * Generates a program with classes and exports, which no available host supports yet, and its equivalent in
 * plain Luau.
 */
export function generateTwins(random: Random): { readonly code: string; readonly plain: string } {
  const both = new Generator(random, 'luau', true).program()
  const choose = (kept: string) => both.replace(EITHER, kept)
  return { code: choose('$1'), plain: choose('$2') }
}

const EITHER = /<either>(.*?)<or>(.*?)<end>/gs

class Generator {
  readonly #random: Random
  readonly #luau: boolean
  readonly #lua54: boolean
  readonly #hasClasses: boolean
  #locals: string[] = []
  #depth = 0
  /** Labels at the end of each enclosing loop, innermost last. */
  #loops: string[] = []
  #names = 0
  #unique = 0

  constructor(random: Random, syntax: Syntax, hasClasses = false) {
    this.#random = random
    this.#luau = syntax === 'luau'
    this.#lua54 = syntax === 'lua54'
    this.#hasClasses = hasClasses
  }

  program(): string {
    const head = 'local out = {}\nlocal function emit(...) out[#out + 1] = tostring((...)) return ... end\n'
    const shared = "local t = { n = 1, s = 'text', 10, 20, 30 }\nlocal budget = 400\n"
    const tops = this.#hasClasses ? Array.from({ length: 3 }, () => this.#top()) : []
    const body = [...tops, this.#block(8)].join('\n')
    return `${head}${shared}${body}\nprint(#out, table.concat(out, ' '))\nprint(t.n, t.s, t[1], t[2], t[3], t[4], g1, g2)`
  }

  #block(size: number): string {
    const kept = this.#locals.length
    const lines = Array.from({ length: this.#random.int(1, size) }, () => this.#statement())
    this.#locals.length = kept
    return lines.join('\n')
  }

  /** Generates a statement that is valid only at the top level. */
  #top(): string {
    if (this.#random.chance(0.5)) {
      const name = `exported${this.#next()}`
      this.#locals.push(name)
      return `<either>export local<or>local<end> ${name} = ${this.#expression()}`
    }
    const name = `Class${this.#next()}`
    const locals = this.#locals
    this.#locals = [...locals, 'self.a', 'self.b', 'x']
    const body = `${this.#block(3)} do return ${this.#expression()}, ... end`
    this.#locals = locals
    const open = `class ${name} public a public b function m(self, x, ...) ${body} end end`
    const made = `local ${name} = {} ${name}.__index = ${name} function ${name}.m(self, x, ...) ${body} end`
    const create = `function ${name}.new(given) return setmetatable({ a = given.a, b = given.b }, ${name}) end`
    const fields = `{ a = ${this.#expression()}, b = ${this.#expression()} }`
    const use = `do local o_ = ${name}.new(${fields}) emit(o_:m(${this.#expression()})) o_.b = o_.a emit(${name}.m(o_, o_.b)) end`
    return `<either>${open}<or>${made} ${create}<end> ${use}`
  }

  #next(): number {
    this.#unique += 1
    return this.#unique
  }

  #fresh(): string {
    this.#names += 1
    return this.#random.pick(['v', 'x', 'value', 'arg_', 'K']) + (this.#names % 7)
  }

  #statement(): string {
    if (this.#depth > 4) return `emit(${this.#expression()})`
    this.#depth += 1
    const plain = [
      () => this.#local(),
      () => this.#local(),
      () => this.#assign(),
      () => `emit(${this.#expression()})`,
      () => `emit(${this.#expression()})`,
      () => `if ${this.#expression()} then ${this.#block(3)} else ${this.#block(2)} end`,
      () => this.#function(),
      () => `do ${this.#block(3)} end`,
      () => this.#loop(),
      () => this.#loop(),
      () =>
        `emit(pcall(function(...) ${this.#outsideLoop(() => this.#block(2))} return ... end, ${this.#expression()}))`,
      () => this.#leave(),
    ]
    const luau = this.#luau ? [() => this.#compound(), () => this.#compound()] : []
    const lua54 = this.#lua54 ? [() => this.#attribute(), () => this.#attribute()] : []
    const text = this.#random.pick([...plain, ...luau, ...lua54])()
    this.#depth -= 1
    return text
  }

  #local(): string {
    const names = Array.from({ length: this.#random.int(1, 3) }, () => this.#fresh())
    const values = Array.from({ length: this.#random.int(1, 3) }, () => this.#expression())
    this.#locals.push(...names)
    return `local ${names.join(', ')} = ${values.join(', ')}`
  }

  #target(): string {
    const choices = ['g1', 'g2', 't.n', 't.s', `t[${this.#random.int(1, 4)}]`, ...this.#locals]
    return this.#random.pick(choices)
  }

  #assign(): string {
    // Luau and Lua assign in different orders, which is observable if a target occurs twice.
    const targets = [...new Set(Array.from({ length: this.#random.int(1, 2) }, () => this.#target()))]
    return `${targets.join(', ')} = ${targets.map(() => this.#expression()).join(', ')}`
  }

  #compound(): string {
    const operator = this.#random.pick(['..=', '..=', '+=', '-=', '*='])
    if (operator === '..=')
      return `t.s = tostring(t.s) t.s ..= tostring(${this.#expression()}) t.s = ${lengthOf('t.s')}`
    return `t.n = tonumber(t.n) or 1 t.n ${operator} ${this.#number()} t.n = t.n % 1000`
  }

  #attribute(): string {
    if (this.#random.chance(0.5)) return `do local k_ <const> = ${this.#expression()} emit(k_) end`
    const close = this.#outsideLoop(() => `{ __close = function() ${this.#block(2)} end }`)
    return `do local c_ <close> = setmetatable({}, ${close}) ${this.#block(3)} end`
  }

  #function(): string {
    const name = this.#fresh()
    const parameter = this.#fresh()
    const locals = this.#locals
    this.#locals = [...locals, parameter]
    const body = this.#outsideLoop(() => this.#block(3))
    const result = `return ${this.#expression()}, ${this.#random.pick(['...', "select('#', ...)", '(...)', '1'])}`
    this.#locals = [...locals]
    const call = `budget = budget - 1 if budget > 0 then emit(${name}(${this.#expression()}, nil, 2)) end`
    return `local function ${name}(${parameter}, ...) ${body} do ${result} end end ${call}`
  }

  #outsideLoop(make: () => string): string {
    const loops = this.#loops
    this.#loops = []
    const text = make()
    this.#loops = loops
    return text
  }

  #loop(): string {
    const name = this.#fresh()
    const label = `next${this.#next()}`
    this.#loops.push(label)
    this.#locals.push(name)
    const plain = this.#block(3)
    const body = this.#lua54 ? `do ${plain} ::${label}:: end` : plain
    this.#locals.pop()
    this.#loops.pop()
    const guard = 'budget = budget - 1 if budget < 0 then break end'
    const step = this.#random.pick(['', ', 1', ', 2'])
    return this.#random.pick([
      () => `for ${name} = 1, ${this.#random.int(1, 4)}${step} do ${guard} ${body} end`,
      () =>
        `for _, ${name} in ipairs({ ${this.#expression()}, ${this.#expression()} }) do ${guard} ${body} end`,
      () =>
        `do local ${name} = 0 while ${name} < 3 do ${guard} ${name} = ${name} + 1 do local ${name} = ${name} ${body} end end end`,
      () => `do local n_ = 0 repeat ${guard} n_ = n_ + 1 local ${name} = n_ do ${body} end until n_ > 2 end`,
    ])()
  }

  #leave(): string {
    const label = this.#loops.at(-1)
    if (label === undefined) return `emit(${this.#expression()})`
    const next = this.#luau ? ['continue'] : this.#lua54 ? [`goto ${label}`] : []
    const word = this.#random.pick([...next, 'break'])
    return `if ${this.#expression()} then ${word} end`
  }

  #number(): string {
    return String(this.#random.pick([0, 1, 2, 3, 7, 10, 100, 255, 256, 12345, 65536]))
  }

  #string(): string {
    // Luau truncates an interpolated string at a constant NUL.
    const bytes = this.#luau ? "'\\1\\255'" : "'\\0\\255'"
    return this.#random.pick([bytes, "'a'", "'hello'", '"it\'s"', "''", "'x y'", '[[long]]', "'42'"])
  }

  #expression(): string {
    if (this.#depth > 6) return this.#leaf()
    this.#depth += 1
    const sub = () => this.#expression()
    const plain = [
      () => this.#leaf(),
      () => this.#leaf(),
      () =>
        `(tonumber(${this.#leaf()}) or ${this.#number()}) ${this.#random.pick(['+', '-', '*'])} ${this.#number()}`,
      () => `${this.#number()} % ${this.#random.int(1, 9)}`,
      () => `tostring(${this.#leaf()}) .. ${this.#string()}`,
      () => `${sub()} and ${sub()}`,
      () => `${sub()} or ${sub()}`,
      () => `not ${this.#leaf()}`,
      () => `(${sub()}) == (${sub()})`,
      () => lengthOf(`tostring(${sub()})`),
      () => `(function(...) return ... end)(${sub()}, ${sub()})`,
      () => `select('#', ${sub()}, nil)`,
      () => `({ ${sub()}, k = ${sub()} })[1]`,
      () => `(emit(${sub()}))`,
      () => `type(${sub()})`,
    ]
    const luau = [
      () => `(if ${sub()} then ${sub()} else ${sub()})`,
      () => `\`<{${this.#leaf()}}|{${sub()}}>\``,
    ]
    const integer = () => `(tonumber(${this.#leaf()}) or ${this.#number()})`
    const lua54 = [
      () => `${integer()} ${this.#random.pick(['&', '|', '~', '<<', '>>'])} ${this.#number()}`,
      () => `~${integer()} // ${this.#random.int(1, 9)}`,
      () => `${integer()} * 1.0`,
    ]
    const added = this.#luau ? [...luau, ...luau] : this.#lua54 ? lua54 : []
    const text = this.#random.pick([...plain, ...added])()
    this.#depth -= 1
    return `(${text})`
  }

  #leaf(): string {
    const leaves = [this.#number(), this.#string(), 'nil', 'true', 'false', 't.n', 't.s', 't[1]', 'g1']
    return this.#random.pick([...leaves, ...this.#locals, ...this.#locals])
  }
}

/**
 * Returns Lua code for the length of a string up to its first colon. This excludes the address of a table or
 * function, which is longer on some hosts.
 */
function lengthOf(text: string): string {
  return `#(${text}:gsub(': .*', ''))`
}
