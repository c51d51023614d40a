/** The language of a page follows the user's choice and the request header. */
import { describe, expect, it } from 'vitest'
import { chooseLanguage } from './language.ts'

describe('the language of a page', () => {
  it.each([
    ['de', 'en', 'de'],
    ['it', 'de', 'de'],
    ['pt-BR', 'de', 'pt'],
    ['tl', 'de', 'fil'],
    [undefined, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
    [undefined, 'it-CH, it;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'en'],
    [undefined, 'pt-BR,pt;q=0.9,en-US;q=0.8', 'pt'],
    [undefined, 'tl-PH,en;q=0.5', 'fil'],
    [undefined, 'fil', 'fil'],
    [undefined, 'es-419,es;q=0.9', 'es'],
    [undefined, 'en;q=0.2,de;q=0.3', 'de'],
    [undefined, 'de;q=0', 'en'],
    [undefined, 'de;q=x,en', 'en'],
    [undefined, '', 'en'],
    [undefined, undefined, 'en'],
    [undefined, `${','.repeat(10_000)}de`, 'en'],
    ['__proto__', 'constructor', 'en'],
  ] as const)('?lang=%s with Accept-Language %s is %s', (chosen, accepted, expected) => {
    expect(chooseLanguage(chosen, accepted)).toBe(expected)
  })
})
