// Provides Luau as a command: `node luau.ts chunk.lua` prints the output of the chunk. Each chunk needs its
// own process, because luau-web supports one working state per process.
import { readFileSync } from 'node:fs'

// If WebAssembly supports promise integration, luau-web selects a build in which pcall catches nothing, so
// every error ends the entire chunk. Otherwise, luau-web selects a correct build that runs at less than half
// the speed. Benchmarks of code without pcall use the fast build.
if (process.argv[3] !== 'fast') Reflect.deleteProperty(Reflect.get(globalThis, 'WebAssembly'), 'Suspending')

const { LuauState } = await import('luau-web')
const emit = (line: string) => void process.stdout.write(`${line}\n`)
const state = await LuauState.createAsync({ emit })
const text = readFileSync(process.argv[2] ?? '', 'utf8')
await state.loadstring(`local print = function(x) emit(tostring(x)) end ${text}`, 'chunk', true)()
