/** The commands registered with Discord stay within Discord's documented limits. */
import { describe, expect, test } from 'vitest'
import { commands } from '../../chat/list.ts'
import { commandsJson } from './render.ts'

type Json = {
  readonly name: string
  readonly description: string
  readonly type?: number
  readonly required?: boolean
  readonly options?: readonly Json[]
}

const registered = commandsJson(commands) as unknown as readonly Json[]
const SUBCOMMAND = 1
const NAME = /^[-_\p{Ll}\p{N}]{1,32}$/u

/** An entry and all its descendants. */
const all = (entry: Json): Json[] => [entry, ...(entry.options ?? []).flatMap(all)]

describe('the registered commands', () => {
  test('are at most 100, each with a name of its own', () => {
    expect(registered.length).toBeLessThanOrEqual(100)
    expect(new Set(registered.map(({ name }) => name)).size).toBe(registered.length)
    expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length)
  })

  test.each(registered)(
    '/$name has names and descriptions that Discord accepts and shows whole',
    (command) => {
      for (const { name, description } of all(command)) {
        expect(name).toMatch(NAME)
        expect(description.length).toBeGreaterThan(0)
        expect(description.length).toBeLessThanOrEqual(100)
        expect(description).not.toContain('…')
      }
      const size = all(command).reduce(
        (sum, { name, description }) => sum + name.length + description.length,
        0,
      )
      expect(size).toBeLessThan(8000)
    },
  )

  test.each(registered.flatMap(all))(
    '$name asks for at most 25 options, the required ones first',
    (entry) => {
      const { options = [] } = entry
      expect(options.length).toBeLessThanOrEqual(25)
      const required = options.map((option) => option.required === true)
      expect(required).toEqual(required.toSorted((a, b) => Number(b) - Number(a)))
    },
  )

  test('contain nothing that only buttons run', () => {
    const names = registered.flatMap(({ name, options = [] }) => [
      name,
      ...options.filter(({ type }) => type === SUBCOMMAND).map((sub) => `${name} ${sub.name}`),
    ])
    expect(names).toContain('key extend-all')
    for (const { name, isHidden } of commands) expect([name, names.includes(name)]).toEqual([name, !isHidden])
  })
})
