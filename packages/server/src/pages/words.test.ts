/** All languages are complete, consistent and short enough. */
import { describe, expect, it } from 'vitest'
import { LANGUAGES, type Language } from './language.ts'
import { type Counted, en, type Word } from './words/en.ts'
import { count, say } from './words.ts'

const WORDS = Object.keys(en) as Word[]
const TRANSLATED = LANGUAGES.filter((one) => one !== 'en')

/** Messages that are the same in English and some other languages. */
const SAME: ReadonlySet<string> = new Set([
  ...['Device', 'Device ID', 'Executor', 'IP address', 'Key', 'Name', 'Partner', 'Plan', 'Project ID'],
  ...['Status', 'Welcome', 'Active', 'Device {number}', '{number} minute', '{number} minutes', 'd h min s'],
])

const BUTTONS: readonly Word[] = [
  ...(['home_author_open', 'own_open', 'own_close', 'device_save', 'release', 'reset', 'end'] as const),
  ...(['copy', 'copied', 'marked', 'back', 'unlock', 'start', 'start_extending', 'go', 'go_again'] as const),
  ...(['go_fallback', 'claim', 'claim_extension', 'again', 'captcha_working', 'captcha_open'] as const),
  ...(['window_paste', 'window_check', 'window_checking', 'window_get', 'window_buy'] as const),
]

describe.each(TRANSLATED)('the messages in %s', (language) => {
  it('have the placeholders of the English ones', () => {
    const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
    for (const word of WORDS) expect(valuesOf(say(language, word)), word).toEqual(valuesOf(en[word]))
  })

  it('are all translated', () => {
    const alike = WORDS.filter((word) => say(language, word) === en[word] && !SAME.has(en[word]))
    expect(alike).toEqual([])
  })

  it('fit on buttons', () => {
    const long = BUTTONS.filter((word) => say(language, word).length > en[word].length * 1.6 + 10)
    expect(long).toEqual([])
  })

  it('have four units and no surrounding spaces', () => {
    expect(say(language, 'units').split(' ')).toHaveLength(4)
    expect(WORDS.filter((word) => say(language, word) !== say(language, word).trim())).toEqual([])
  })
})

describe('a number', () => {
  const forms = (language: Language, word: Counted) =>
    [0, 1, 2, 5, 21].map((number) => count(language, word, number))

  it('has the plural form of the language', () => {
    expect(forms('en', 'day')).toEqual(['0 days', '1 day', '2 days', '5 days', '21 days'])
    expect(forms('ru', 'minute')).toEqual(['0 минут', '1 минуту', '2 минуты', '5 минут', '21 минуту'])
    expect(forms('ru', 'pass_steps').at(-1)).toBe('Пройди 21 шаг')
    expect(forms('fr', 'hour').slice(0, 3)).toEqual(['0 heure', '1 heure', '2 heures'])
    expect(forms('id', 'day')).toEqual(['0 hari', '1 hari', '2 hari', '5 hari', '21 hari'])
  })

  it('is shown in every form', () => {
    for (const language of LANGUAGES)
      for (const word of ['day', 'hour', 'minute', 'second', 'pass_steps'] as const)
        for (const number of [0, 1, 2, 5, 21, 1_000_000])
          expect(count(language, word, number)).toContain(String(number))
  })
})
