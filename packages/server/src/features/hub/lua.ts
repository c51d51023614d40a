/**
 * Renders the Lua that the hub URL returns for unsupported games. Like a loader, it is ASCII and runs on
 * every host.
 */
import { luaString } from '@scriptward/client/lua-text'
import type { Language } from '../../pages/language.ts'
import { say } from '../../pages/words.ts'

/** `names` contains the names of the first few of `total` scripts. */
export function renderUnsupported(language: Language, names: readonly string[], total: number): string {
  const first = names.join(', ')
  const rest = total - names.length
  const all = rest > 0 ? say(language, 'hub_more', { names: first, number: rest }) : first
  const words = total === 0 ? say(language, 'hub_empty') : say(language, 'hub_unsupported', { names: all })
  return `error(${luaString(`scriptward: ${words}`)},0)\n`
}
