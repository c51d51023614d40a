/** Tests options by ID, in the form that the API, the dashboard and the command line use. */

import { describe, expect, test } from 'vitest'
import { choices, obfuscate, parseOption, readOptions } from './index.ts'

describe('values by option id', () => {
  test('every default in the option list is accepted, individually and all together', () => {
    const defaults = Object.fromEntries(choices.options.map((each) => [each.id, each.default]))
    for (const [id, value] of Object.entries(defaults))
      expect(readOptions({ [id]: value })).toHaveProperty('options')
    const read = readOptions(defaults)
    expect('options' in read && obfuscate('return 1', read.options)).toHaveProperty('code')
  })

  test('every choice in the option list is accepted and builds a script', () => {
    for (const { id, choices: list } of choices.options) {
      for (const choice of list ?? []) {
        const read = readOptions({ [id]: choice })
        expect('options' in read && obfuscate('return 1', read.options), `${id}=${choice}`).toHaveProperty(
          'code',
        )
      }
    }
  })

  test('settings reach their passes by option id, and a pass that is off stays off', () => {
    expect(readOptions({ preset: 'light', 'encode-numbers.share': 0.5, 'encrypt-strings': false })).toEqual({
      options: { preset: 'light', passes: { 'encode-numbers': { share: 0.5 }, 'encrypt-strings': false } },
    })
    expect(readOptions({ 'encode-numbers': false, 'encode-numbers.share': 1 })).toEqual({
      options: { passes: { 'encode-numbers': false } },
    })
  })

  test.each([
    [{ preset: 'heroic' }, 'preset', "preset must be one of 'light'"],
    [
      { 'encode-numbers.share': 2 },
      'encode-numbers.share',
      'encode-numbers.share must be a number from 0 to 1',
    ],
    [{ 'encode-numbers': 'yes' }, 'encode-numbers', 'encode-numbers must be true or false'],
    [{ seed: 1.5 }, 'seed', 'seed must be a whole number or a string'],
    [{ nothing: 1 }, 'nothing', "there is no option 'nothing': choose from 'preset'"],
    [[], 'options', 'options must be an object'],
    [null, 'options', 'options must be an object'],
  ])('invalid options yield an error with the option id: %j', (values, param, words) => {
    const read = readOptions(values)
    const [first] = 'errors' in read ? read.errors : []
    expect(first?.param).toBe(param)
    expect(first?.message.slice(0, words.length)).toBe(words)
  })

  test('a command-line value is converted to the type of its option', () => {
    expect(parseOption('encode-numbers.share=0.5')).toEqual(['encode-numbers.share', 0.5])
    expect(parseOption('encode-numbers=false')).toEqual(['encode-numbers', false])
    expect(parseOption('seed=12')).toEqual(['seed', 12])
    expect(parseOption('preset=light')).toEqual(['preset', 'light'])
    expect(parseOption('preset')).toEqual(['preset', ''])
  })
})
