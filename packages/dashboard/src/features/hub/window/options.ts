/** The options of `ward.window` as form state, with validation, and as a Lua table. */
import { luaQuoted } from '../../../lib/snippets.ts'
import { text } from '../../../messages/text.ts'

export type Draft = {
  readonly title: string
  readonly accent: string
  readonly logo: string
  readonly buy: string
  /** An empty string applies the project's setting. */
  readonly get_key: '' | 'true' | 'false'
}
export type Mistakes = Readonly<Partial<Record<keyof Draft, string>>>

export const EMPTY: Draft = { title: '', accent: '', logo: '', buy: '', get_key: '' }

const COLOR = /^#[0-9a-fA-F]{6}$/
const ASSET = /^rbx(?:assetid|asset|thumb):\/\/\S+$/
const WEB = /^https?:$/

export function mistakesIn({ accent, logo, buy }: Draft): Mistakes {
  const t = text.keyWindow
  return {
    ...(accent.trim() && !COLOR.test(accent.trim()) && { accent: t.accentWrong }),
    ...(logo.trim() && !ASSET.test(logo.trim()) && { logo: t.logoWrong }),
    ...(buy.trim() && !isUrl(buy.trim()) && { buy: t.buyWrong }),
  }
}

/** Omits empty and invalid options. Returns an empty string if no options are left. */
export function optionsOf(draft: Draft): string {
  const wrong = mistakesIn(draft)
  const words = (['title', 'logo', 'accent', 'buy'] as const)
    .filter((name) => draft[name].trim() !== '' && wrong[name] === undefined)
    .map((name) => `${name} = ${luaQuoted(draft[name].trim())}`)
  const all = draft.get_key === '' ? words : [...words, `get_key = ${draft.get_key}`]
  return all.length === 0 ? '' : `{ ${all.join(', ')} }`
}

function isUrl(given: string): boolean {
  return URL.canParse(given) && WEB.test(new URL(given).protocol)
}
