/** All languages are complete and consistent. */
import { expect, it } from 'vitest'
import { de } from './words/de.ts'
import { en } from './words/en.ts'

/** Words that are the same in both languages. */
const SAME: ReadonlySet<string> = new Set(['Plan', 'Name'])

it('every message has the same placeholders in every language', () => {
  const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
  for (const [word, text] of Object.entries(en))
    expect(valuesOf(de[word as keyof typeof en]), word).toEqual(valuesOf(text))
})

it('no message is left untranslated', () => {
  const alike = Object.entries(en).filter(
    ([word, text]) => de[word as keyof typeof en] === text && !SAME.has(text),
  )
  expect(alike.map(([word]) => word)).toEqual([])
})
