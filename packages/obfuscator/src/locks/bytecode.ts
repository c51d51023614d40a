/** Assembles the bytecode of a locked function: its words, addresses and constants. */

import type { Random } from '../random.ts'
import type { Lifted } from './lift-constants.ts'
import type { Machine, Opcode } from './machine.ts'

/** An address that is unknown until the label is placed. */
export type Label = { address: number }

/** An operand that becomes the index of this constant. */
export type Constant = { readonly constant: Lifted }

export type Operand = number | Label | Constant

/**
 * `words` contains the instructions of a function and of all functions nested in it. `constants` are in order
 * of their 1-based indexes.
 */
export type Bytecode = { readonly words: readonly number[]; readonly constants: readonly Lifted[] }

export class Assembler {
  readonly machine: Machine
  readonly #words: number[] = []
  readonly #labels: [index: number, label: Label][] = []
  readonly #constants: [index: number, constant: Lifted][] = []

  constructor(machine: Machine) {
    this.machine = machine
  }

  emit(opcode: Opcode, ...operands: readonly Operand[]): void {
    const first = this.#words.length + 1
    const values = operands.map((operand, i) => {
      if (typeof operand === 'number') return operand
      if ('address' in operand) this.#labels.push([first + i, operand])
      else this.#constants.push([first + i, operand.constant])
      return 0
    })
    this.#words.push(...this.machine.encode(opcode, values))
  }

  /** Sets the label's address to the address of the next instruction. */
  place(label: Label): void {
    label.address = this.#words.length + 1
  }

  /**
   * Assigns random indexes to the constants. If they were numbered in order of use, an attacker who knows
   * some constants could tell where the code uses the others.
   */
  finish(random: Random): Bytecode {
    const constants = random.shuffle([...new Set(this.#constants.map(([, constant]) => constant))])
    const indexes = new Map(constants.map((constant, i) => [constant, i + 1]))
    const words = [...this.#words]
    for (const [index, label] of this.#labels) words[index] = label.address
    for (const [index, constant] of this.#constants) words[index] = indexes.get(constant) ?? 0
    return { words, constants }
  }
}

export function createLabel(): Label {
  return { address: 0 }
}
