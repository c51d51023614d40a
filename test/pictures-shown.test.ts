/**
 * Tests that the documentation uses all of its screenshots, which `npm run pictures` takes, and no others.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PICTURES } from './dashboard/picture-list.ts'

const ROOT = path.join(import.meta.dirname, '..')
const IMAGES = path.join(ROOT, 'docs/images')

describe('the pictures of the documentation', () => {
  it('are all used in a document, have alt text, and come from this project', () => {
    const shown = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).flatMap((file) =>
      [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(
        ([, words = '', target = '']) => ({ words, target: path.join(ROOT, path.dirname(file), target) }),
      ),
    )
    expect(shown.filter(({ words }) => words.length < 20)).toEqual([])
    const screenshots = Object.keys(PICTURES).map((name) => path.join(IMAGES, `${name}.png`))
    const wanted = [...screenshots, path.join(IMAGES, 'try.svg')]
    expect([...new Set(shown.map(({ target }) => target))].sort()).toEqual(wanted.sort())
    expect(
      readdirSync(IMAGES)
        .map((name) => path.join(IMAGES, name))
        .sort(),
    ).toEqual(wanted)
  })
})
