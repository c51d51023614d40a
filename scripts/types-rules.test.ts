import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { complaintsAboutTypes } from './types-rules.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-types-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Packs a package with a single ES module. */
function pack(types: string, files = ['index.d.ts', 'index.d.cts']): string {
  const exports = { '.': { types, default: './index.js' } }
  const manifest = { name: 'packed', version: '1.0.0', type: 'module', exports }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(path.join(folder, 'index.js'), 'export const one = 1\n')
  for (const file of files) writeFileSync(path.join(folder, file), 'export declare const one: number\n')
  const words = ['pack', '--silent', '--ignore-scripts']
  return path.join(folder, execFileSync('npm', words, { cwd: folder, encoding: 'utf8' }).trim())
}

test('types of the same kind of module are accepted, though CommonJS must load them with import()', async () => {
  expect(await complaintsAboutTypes(pack('./index.d.ts'))).toEqual([])
})

test('types that claim to be CommonJS are not accepted', async () => {
  expect((await complaintsAboutTypes(pack('./index.d.cts'))).join()).toContain('FalseCJS')
})

test('types that are not in the package are not accepted', async () => {
  expect((await complaintsAboutTypes(pack('./missing.d.ts'))).join()).toContain('FallbackCondition')
})

test('a package without types is not accepted', async () => {
  const file = pack('./index.d.ts', [])
  expect(await complaintsAboutTypes(file)).toEqual(['The package has no types.'])
})
