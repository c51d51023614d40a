/**
 * Limits the download sizes, in KiB after gzip: the code that every page needs, the total for each page, the
 * editor, the styles and the playground.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const DIST = path.join(import.meta.dirname, '..', '..', 'packages', 'dashboard', 'dist')
const LIMITS = { initial: 150, page: 270, editor: 125, styles: 25 } as const
const PLAYGROUND = path.join(import.meta.dirname, '..', '..', 'packages', 'dashboard', 'playground', 'dist')

type Chunk = {
  readonly file: string
  readonly isEntry?: boolean
  readonly isDynamicEntry?: boolean
  readonly imports?: readonly string[]
}

const chunks: Record<string, Chunk> = JSON.parse(readFileSync(path.join(DIST, '.vite/manifest.json'), 'utf8'))
const entry = Object.keys(chunks).find((name) => chunks[name]?.isEntry) ?? ''
const initial = withImports(entry)
const lazy = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry)

describe('the download size of the dashboard', () => {
  it('of what every page needs is below its limit', () => {
    expect(sizeOf([...initial].map((name) => chunks[name]?.file ?? ''))).toBeLessThan(LIMITS.initial)
  })

  it.each(lazy)('for %s is below its limit', (name) => {
    const needed = withImports(name)
    const isEditor = /code-mirror\//.test(name)
    const counted = isEditor ? [...needed].filter((each) => !initial.has(each)) : [...initial.union(needed)]
    const limit = isEditor ? LIMITS.editor : LIMITS.page
    expect(sizeOf(counted.map((each) => chunks[each]?.file ?? ''))).toBeLessThan(limit)
  })

  it('of styles is below its limit', () => {
    const files = Object.values(chunks).map(({ file }) => file)
    const styles = files.filter((file) => file.endsWith('.css'))
    expect(styles).toHaveLength(1)
    expect(sizeOf(styles)).toBeLessThan(LIMITS.styles)
  })
})

describe('the download size of the playground', () => {
  const sizeOfFiles = (pattern: RegExp) => {
    const names = readdirSync(path.join(PLAYGROUND, 'assets')).filter((name) => pattern.test(name))
    expect(names).not.toEqual([])
    return sizeOf(names.map((name) => path.join(PLAYGROUND, 'assets', name)))
  }

  it.each([
    ['before the first paint', /^(index|rolldown|style|theme).*\.(js|css)$/, 100],
    ['for the editor', /^editor.*\.js$/, LIMITS.editor],
    ['for the obfuscator and the attacks', /^protect-worker.*\.js$/, 125],
  ])('%s is below its limit', (_, pattern, limit) => {
    expect(sizeOfFiles(pattern)).toBeLessThan(limit)
  })
})

function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const each of chunks[name]?.imports ?? []) withImports(each, found)
  return found
}

function sizeOf(files: readonly string[]): number {
  const bytes = files.map((file) => gzipSync(readFileSync(path.resolve(DIST, file)), { level: 9 }).length)
  return bytes.reduce((sum, each) => sum + each, 0) / 1024
}
