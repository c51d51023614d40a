// Luau as a command: `node luau.ts chunk.lua` prints what the chunk prints. A process for each chunk, because
// luau-web keeps one working state a process.
import { readFileSync } from 'node:fs'

// Where WebAssembly has promise integration, luau-web picks a build in which pcall catches nothing: every error leaves
// the whole chunk. Without it, luau-web falls back to the build that works, at less than half the speed; measurements
// of texts without pcall ask for the fast one.
if (process.argv[3] !== 'fast') Reflect.deleteProperty(Reflect.get(globalThis, 'WebAssembly'), 'Suspending')

const { LuauState } = await import('luau-web')
const emit = (line: string) => void process.stdout.write(`${line}\n`)
const state = await LuauState.createAsync({ emit })
const text = readFileSync(process.argv[2] ?? '', 'utf8')
await state.loadstring(`local print = function(x) emit(tostring(x)) end ${text}`, 'chunk', true)()
