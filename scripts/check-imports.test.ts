/** The rules of the house catch what they say they catch: each test plants one breach in a small tree. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { findCycles, forbiddenImports } from './import-rules.ts'
import { readSourceFiles } from './source-files.ts'

const trees: string[] = []

function tree(files: Record<string, string>) {
  const root = mkdtempSync(path.join(tmpdir(), 'scriptward-rules-'))
  trees.push(root)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  return readSourceFiles(root)
}

afterEach(() => {
  for (const root of trees.splice(0)) rmSync(root, { recursive: true, force: true })
})

const breaches = (files: Record<string, string>) => tree(files).flatMap(forbiddenImports).join('\n')

describe('imports', () => {
  test('the obfuscator imports nothing, not even a Node module', () => {
    expect(breaches({ 'packages/obfuscator/src/a.ts': "import fs from 'node:fs'\n" })).toMatch(
      /imports nothing/,
    )
  })

  test('the obfuscator uses neither chance nor time', () => {
    expect(breaches({ 'packages/obfuscator/src/a.ts': 'export const a = Math.random()\n' })).toMatch(
      /chance nor time/,
    )
  })

  test('the sdk does not import the server', () => {
    expect(breaches({ 'packages/sdk/src/a.ts': "import { a } from '@scriptward/server'\n" })).toMatch(
      /sdk may not import/,
    )
  })

  test('the store does not reach up into the domain, except for types', () => {
    const from = "from '../domain/users.ts'\n"
    expect(breaches({ 'packages/server/src/store/a.ts': `import { a } ${from}` })).toMatch(
      /store may not import/,
    )
    expect(breaches({ 'packages/server/src/store/a.ts': `import type { A } ${from}` })).toBe('')
  })

  test('only http/ knows Fastify and only the store knows SQL', () => {
    expect(breaches({ 'packages/server/src/domain/a.ts': "import { sql } from 'kysely'\n" })).toMatch(
      /known to/,
    )
    expect(
      breaches({ 'packages/server/src/endpoints/answer.ts': "import fastify from 'fastify'\n" }),
    ).toMatch(/known to/)
    expect(breaches({ 'packages/server/src/http/server.ts': "import fastify from 'fastify'\n" })).toBe('')
  })

  test('only config.ts reads the environment', () => {
    expect(breaches({ 'packages/server/src/domain/a.ts': 'export const a = process.env\n' })).toMatch(
      /environment/,
    )
  })

  test('a cycle of values is found, a cycle of types is none', () => {
    const cycle = (word: string) =>
      tree({
        'packages/cli/src/a.ts': `${word} { b } from './b.ts'\nexport const a = 1\n`,
        'packages/cli/src/b.ts': `${word} { a } from './a.ts'\nexport const b = 1\n`,
      })
    expect(findCycles(cycle('import')).join()).toMatch(/import cycle/)
    expect(findCycles(cycle('import type'))).toEqual([])
  })
})

describe('sizes', () => {
  const measured = (text: string) => tree({ 'packages/cli/src/a.ts': text })[0]

  test('lines, parameters and nesting of a function are measured as a reader counts them', () => {
    const file = measured(
      'export function big(a: 1, b: 2, c: 3) {\n  for (;;) {\n    if (a) {\n      while (b) c\n    }\n  }\n}\n',
    )
    expect(file?.functions).toEqual([{ name: 'big', line: 1, lines: 7, parameters: 3, nesting: 3 }])
  })

  test('an else-if chain is one level', () => {
    const file = measured(
      'const f = (a: number) => {\n  if (a === 1) a\n  else if (a === 2) a\n  else if (a === 3) a\n}\n',
    )
    expect(file?.functions[0]).toMatchObject({ name: 'f', nesting: 1 })
  })

  test('the callback of describe is a heading, the tests in it are measured', () => {
    const file = measured("describe('a', () => {\n  test('b', () => {\n    c()\n  })\n})\n")
    expect(file?.functions.map((fn) => fn.lines)).toEqual([3])
  })

  test('a file of nothing but re-exports is a barrel', () => {
    expect(measured("export { a } from './b.ts'\nexport * from './c.ts'\n")?.onlyReexports).toBe(true)
    expect(measured("export { a } from './b.ts'\nexport const c = 1\n")?.onlyReexports).toBe(false)
  })
})
