/** The rules of the house catch what they say they catch: each test plants one breach in a small tree. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { fileComplaints, unusedExceptions } from './file-rules.ts'
import { findCycles, forbiddenImports, misplacedLayers } from './import-rules.ts'
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

  test('the live sessions do not import the client protocol above them', () => {
    const text = "import { a } from '../protocol/ratchet.ts'\n"
    expect(breaches({ 'packages/server/src/sessions/a.ts': text })).toMatch(/sessions may not import/)
  })

  test('a room that names one above itself is found in the table', () => {
    expect(misplacedLayers({ top: ['low'], low: ['top'] }).join()).toMatch(/low names top/)
    expect(misplacedLayers()).toEqual([])
  })
})

describe('circles', () => {
  const circles = (first: string, second: string) =>
    findCycles(tree({ 'packages/cli/src/a.ts': first, 'packages/cli/src/b.ts': second })).join()

  test.each([
    ['values', "import { b } from './b.ts'\n"],
    ['types', "import type { B } from './b.ts'\n"],
    ['a re-export', "export { b } from './b.ts'\n"],
    ['an import at run time', "export const a = () => import('./b.ts')\n"],
    ['an imported type', "export type A = import('./b.ts').B\n"],
    ['the file of a thread', "export const a = () => new Worker(new URL('./b.ts', import.meta.url))\n"],
    ['a worker', "export const a = () => new Worker('./b.ts')\n"],
  ])('one by way of %s is found', (_, text) => {
    expect(circles(text, "import { a } from './a.ts'\nexport const b = 1\n")).toMatch(/a\.ts → .*b\.ts → /)
  })

  test('imports in one direction are none', () => {
    expect(circles("import { b } from './b.ts'\n", 'export const b = 1\n')).toBe('')
  })
})

describe('nouns of the domain', () => {
  const imports = (from: string, to: string) =>
    breaches({ [`packages/server/src/domain/${from}`]: `import type { A } from '${to}'\n` })

  test('one imports the nouns below it, types too, and none above it', () => {
    expect(imports('ads/a.ts', '../users/b.ts')).toBe('')
    expect(imports('users/a.ts', '../ads/b.ts')).toMatch(/domain\/users may not import domain\/ads/)
  })

  test('every noun imports the ground floor, which imports no noun', () => {
    expect(imports('users/a.ts', '../refusals.ts')).toBe('')
    expect(imports('refusals.ts', './users/a.ts')).toMatch(/may not import domain\/users/)
  })

  test('a noun that has no place in the order imports no other', () => {
    expect(imports('unheard-of/a.ts', '../users/b.ts')).toMatch(/may not import/)
  })
})

describe('files', () => {
  const LONG = 'packages/cli/src/a.ts'
  const complaints = (lines: number, longFiles = {}) => {
    const files = tree({ [LONG]: `/** A file. */\n${'// line\n'.repeat(lines - 1)}` })
    return files.flatMap((file) => fileComplaints(file, longFiles)).join()
  }

  test('one has up to 400 lines, and up to 600 with a reason', () => {
    expect(complaints(400)).toBe('')
    expect(complaints(401)).toMatch(/at most 400/)
    expect(complaints(600, { [LONG]: 'one table' })).toBe('')
    expect(complaints(601, { [LONG]: 'one table' })).toMatch(/at most 600/)
  })

  test('a reason for a file that is short again is refused', () => {
    expect(unusedExceptions(tree({ [LONG]: '// short\n' }), { [LONG]: 'one table' })).toHaveLength(1)
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
