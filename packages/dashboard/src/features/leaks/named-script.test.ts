import { expect, it } from 'vitest'
import { scriptNamedIn } from './named-script.ts'

const scripts = [
  { id: 'scr_1', name: 'Garden' },
  { id: 'scr_2', name: 'Shop' },
  { id: 'scr_3', name: 'hi' },
]

it('finds the script of a copy by its ID, or by a name that only one script has', () => {
  expect(scriptNamedIn('load("scr_2") -- Garden', scripts)?.id).toBe('scr_2')
  expect(scriptNamedIn('-- Garden 1.2', scripts)?.id).toBe('scr_1')
  for (const copy of ['', 'Garden and Shop', 'this']) expect(scriptNamedIn(copy, scripts)).toBe(undefined)
})
