/**
 * Runs as the child process of parser-oracles.ts. Sends a line for each program that Luau's compiler rejects.
 */
import { once } from 'node:events'
import { LuauState } from 'luau-web'

const [texts] = (await once(process, 'message')) as [string[]]
const state = await LuauState.createAsync({})
texts.forEach((text, i) => {
  const diagnostic = errorOf(text)
  if (diagnostic !== null) process.send?.(`${i + 1}\t${diagnostic}`)
})
process.disconnect()

function errorOf(text: string): string | null {
  try {
    const loaded = state.loadstring(text, 'chunk', false)
    return typeof loaded === 'string' ? loaded : null
  } catch {
    return null
  }
}
