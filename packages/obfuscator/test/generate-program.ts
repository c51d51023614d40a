/**
 * Generates random programs that end, print what they compute and mean the same on every host: no iteration
 * over several keys, no fractions in the output.
 */

import type { Random } from '../src/random.ts'

/** `luau` adds the syntax that only Luau has. */
export function generateProgram(random: Random, luau: boolean): string {
  return new Generator(random, luau).program()
}

class Generator {
  readonly #random: Random
  readonly #luau: boolean
  #locals: string[] = []
  #depth = 0
  #loops = 0
  #names = 0

  constructor(random: Random, luau: boolean) {
    this.#random = random
    this.#luau = luau
  }

  program(): string {
    const head = 'local out = {}\nlocal function emit(...) out[#out + 1] = tostring((...)) return ... end\n'
    const shared = "local t = { n = 1, s = 'text', 10, 20, 30 }\nlocal budget = 400\n"
    const body = this.#block(8)
    return `${head}${shared}${body}\nprint(#out, table.concat(out, ' '))\nprint(t.n, t.s, #t, g1, g2)`
  }

  #block(size: number): string {
    const kept = this.#locals.length
    const lines = Array.from({ length: this.#random.int(1, size) }, () => this.#statement())
    this.#locals.length = kept
    return lines.join('\n')
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
    const text = this.#random.pick(
      this.#luau ? [...plain, () => this.#compound(), () => this.#compound()] : plain,
    )()
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
    // Luau and Lua assign in different orders, which shows when a target occurs twice.
    const targets = [...new Set(Array.from({ length: this.#random.int(1, 2) }, () => this.#target()))]
    return `${targets.join(', ')} = ${targets.map(() => this.#expression()).join(', ')}`
  }

  #compound(): string {
    const operator = this.#random.pick(['..=', '..=', '+=', '-=', '*='])
    if (operator === '..=') return `t.s = tostring(t.s) t.s ..= tostring(${this.#expression()}) t.s = #t.s`
    return `t.n = tonumber(t.n) or 1 t.n ${operator} ${this.#number()} t.n = t.n % 1000`
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
    this.#loops = 0
    const text = make()
    this.#loops = loops
    return text
  }

  #loop(): string {
    const name = this.#fresh()
    this.#loops += 1
    this.#locals.push(name)
    const body = this.#block(3)
    this.#locals.pop()
    this.#loops -= 1
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
    if (this.#loops === 0) return `emit(${this.#expression()})`
    const word = this.#luau ? this.#random.pick(['continue', 'break']) : 'break'
    return `if ${this.#expression()} then ${word} end`
  }

  #number(): string {
    return String(this.#random.pick([0, 1, 2, 3, 7, 10, 100, 255, 256, 12345, 65536]))
  }

  #string(): string {
    // Luau cuts an interpolated string at a constant NUL.
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
      () => `#tostring(${sub()})`,
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
    const text = this.#random.pick(this.#luau ? [...plain, ...luau, ...luau] : plain)()
    this.#depth -= 1
    return `(${text})`
  }

  #leaf(): string {
    const leaves = [this.#number(), this.#string(), 'nil', 'true', 'false', 't.n', 't.s', 't[1]', 'g1']
    return this.#random.pick([...leaves, ...this.#locals, ...this.#locals])
  }
}
