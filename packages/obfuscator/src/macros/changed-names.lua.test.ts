import { expect, test } from 'vitest'
import { runLua } from '../../test/run-lua.ts'
import { SEED } from '../../test/seeds.ts'
import { obfuscate } from '../index.ts'
import { presets } from '../options.ts'

function build(source: string, options: { preset?: string; target?: string; dialect?: string } = {}) {
  const built = obfuscate(source, { seed: SEED, ...options })
  if ('errors' in built) throw new Error(JSON.stringify(built.errors))
  return built
}

const warningsOf = (source: string, target = 'any') => build(source, { target }).report.warnings

test.each(presets.map(({ id }) => id))(
  'at %s, a warning says that a dumped function fails, and lists the lines',
  async (preset) => {
    const source = `local function greet(name) return 'hello ' .. name end
local copy = string.dump(greet)
print(pcall(loadstring(copy), 'you'))
print(#string.dump(greet) > 0)`
    const { code, report } = build(source, { preset })
    const [outcome] = await runLua('lua5.1', [{ name: preset, code }])
    expect(outcome?.output).toMatch(/^false\t/)
    expect(report.warnings.filter((each) => each.includes('string.dump'))).toEqual([
      expect.stringMatching(/^line 2 and 1 more: string\.dump: .* fails .* not protected$/),
    ])
  },
)

test.each([
  'local dump = string.dump print(dump)',
  "print(string['dump'])",
  'local string = string print(string.dump(print))',
])('%j causes the warning about string.dump', (source) => {
  expect(warningsOf(source).join()).toContain('line 1: string.dump')
})

test.each([
  'print(my.dump, dump)',
  "print(#string.dump(loadstring('return 1')), 'string.dump')",
  "print(#string.dump((load('return 1'))))",
])('%j dumps no protected function and causes no warning', (source) => {
  expect(warningsOf(source)).toEqual([])
})

test('Luau has no string.dump, so there is no warning for it', () => {
  expect(warningsOf('print(string.dump)', 'luau')).toEqual([])
})

test("a script of Garry's Mod in the wrong dialect is recognized", () => {
  const source = "\nDEFINE_BASECLASS('base_thing')"
  expect(warningsOf(source)).toEqual([expect.stringMatching(/^line 2: .*choose the dialect gmod/)])
  expect(build(source, { dialect: 'gmod' }).report.warnings).toEqual([])
})
