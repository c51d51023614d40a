/** Runs one script, or an attack's Lua code, in Luau. The worker has no access to anything else. */
import { runInTestHost } from '@scriptward/client/test-host'
import { emit, tell } from '../features/scripts/run/output.ts'
import { loadLuau } from '../lib/load-luau.ts'

/** A script to run, or an attack's code with its input files. */
export type LuauTask =
  | { readonly text: string }
  | { readonly attack: string; readonly files: readonly string[] }

globalThis.addEventListener(
  'message',
  ({ data }: MessageEvent<LuauTask>) => void ('text' in data ? runScript(data.text) : runAttack(data)),
  { once: true },
)

const NAME = 'script'

async function runScript(text: string): Promise<void> {
  let from = performance.now()
  let error: string | null
  try {
    const luau = await loadLuau()
    // The measurement starts once the script itself has been compiled. The simulated executor is compiled
    // before that.
    const timed = {
      async createAsync(env: object) {
        const state = await luau.createAsync(env)
        const compile = (code: string, name: string) => {
          const chunk = state.loadstring(code, name)
          if (name === NAME) {
            tell({ kind: 'start' })
            from = performance.now()
          }
          return chunk
        }
        return { loadstring: compile as typeof state.loadstring }
      },
    }
    const run = { text, name: NAME, key: 'playground', device: 'playground' }
    error = await runInTestHost(timed, run, { emit, ask })
  } catch (caught) {
    error = caught instanceof Error ? caught.message : String(caught)
  }
  tell({ kind: 'end', error, ms: performance.now() - from })
}

async function ask(): Promise<never> {
  throw new Error('scripts in the playground have no network')
}

/**
 * Reports the attack's output as one line. Most attacks end with an error after their last output, so errors
 * are ignored.
 */
async function runAttack({ attack, files }: Extract<LuauTask, { attack: string }>): Promise<void> {
  let written = ''
  try {
    const state = await (await loadLuau()).createAsync({})
    tell({ kind: 'start' })
    const compile = (code: unknown) => state.loadstring(String(code), NAME)
    const read = (number: unknown) => files[Number(number) - 1] ?? ''
    const write = (piece: unknown) => {
      written += String(piece)
    }
    await state.loadstring(attack, 'attack', true)(compile, read, write)
  } catch {
    // Most attacks end with an error, so errors are ignored.
  }
  tell({ kind: 'out', text: written })
  tell({ kind: 'end', error: null })
}
