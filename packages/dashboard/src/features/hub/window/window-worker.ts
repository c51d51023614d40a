/** Draws the key window in Luau: the same code that the library downloads, in a simulated game. */
import host from '@scriptward/client/lua/host.lua?raw'
import instances from '@scriptward/client/preview/instances.lua?raw'
import preview from '@scriptward/client/preview/window.lua?raw'
import type { Instance } from '@scriptward/client/window-picture'
import type { LuauState } from 'luau-web'
import { loadLuau } from '../../../lib/load-luau.ts'

export type State = 'asking' | 'denied' | 'valid'
export type Scene = {
  /** The key window's code, as sent by the server. */
  readonly code: string
  /** The options as a Lua table; empty for none. */
  readonly options: string
  readonly state: State
  readonly viewport: readonly [width: number, height: number]
}
export type Drawn = { readonly gui: Instance } | { readonly problem: string }

let printed: string[] = []
let luau: Promise<LuauState> | undefined
let last: Promise<void> = Promise.resolve()

globalThis.addEventListener('message', ({ data }: MessageEvent<Scene>) => {
  last = last.then(async () => globalThis.postMessage(await draw(data)))
})

async function draw(scene: Scene): Promise<Drawn> {
  try {
    luau ??= loadLuau().then((maker) => maker.createAsync({ emit: (line: string) => printed.push(line) }))
    const state = await luau
    printed = []
    await state.loadstring(programOf(scene), 'window', true)()
    return { gui: JSON.parse(printed.at(-1) ?? '') }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Each run has its own `os`, because the simulated clock wraps the existing one. */
function programOf({ code, options, state, viewport }: Scene): string {
  return `local os, print, viewport = os, function(line) emit(tostring(line)) end, { ${viewport.join(', ')} }
${instances}
local host = (function(...)
${host}
end)()
local options, state = ${options || '{}'}, '${state}'
local function open(...)
${code}
end
${preview}`
}
