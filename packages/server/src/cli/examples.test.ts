/** The help for operator commands is complete. */
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { commands } from '../main.ts'

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)

it('every operator command has examples, and each example calls that command', async () => {
  const program = await commands()
  const all = leaves(program)
  expect(all.length).toBeGreaterThan(30)
  for (const one of all) {
    const [, examples = ''] = helpOf(one).split('\nExamples:\n')
    const lines = examples.split('\n').filter(Boolean)
    expect([pathOf(one), lines]).not.toEqual([pathOf(one), []])
    for (const line of lines) {
      expect([line, line.includes(`${pathOf(one)} `) || line.endsWith(pathOf(one))]).toEqual([line, true])
      for (const [flag] of line.matchAll(/--[\w-]+/g))
        expect([line, one.options.map(({ long }) => long)]).toEqual([line, expect.arrayContaining([flag])])
    }
  }
})

it('every argument and option of an operator command has a description', async () => {
  for (const one of leaves(await commands()))
    for (const part of [...one.registeredArguments, ...one.options])
      expect([pathOf(one), part.name(), part.description]).toEqual([
        pathOf(one),
        part.name(),
        expect.stringMatching(/^[A-Z\d]|^postgres/),
      ])
})

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) })
  command.outputHelp()
  return text
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}
