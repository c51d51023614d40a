/**
 * Runs as the child process of run-lua.ts. Runs Luau programs in one state, and sends "<O|E
 * message>\n<output>" for each program.
 */
import { once } from 'node:events'

export type LuauPrograms = { readonly driver: string; readonly codes: readonly string[] }

// Prevents luau-web from using its JSPI build, in which pcall catches nothing and every error leaves the
// chunk.
Reflect.deleteProperty(Reflect.get(globalThis, 'WebAssembly'), 'Suspending')
const { LuauState } = await import('luau-web')

const [{ driver, codes }] = (await once(process, 'message')) as [LuauPrograms]
const state = await LuauState.createAsync({})
const [take] = (await state.loadstring(driver, 'driver', true)()) as [() => Promise<string[]>]
await take()
for (const code of codes) {
  const head = await run(Buffer.from(code, 'latin1').toString('utf8'))
  process.send?.(`${head.replaceAll('\n', ' ')}\n${(await take())[0]}`)
}
process.disconnect()

async function run(text: string): Promise<string> {
  try {
    const chunk = state.loadstring(text, 'script')
    if (typeof chunk === 'string') return `E ${chunk}`
    await chunk('first', 3)
    return 'O'
  } catch (error) {
    return `E ${error instanceof Error ? error.message : error}`
  }
}
