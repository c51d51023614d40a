/**
 * Tests that Lua 5.4.4's own test files (`conformance/lua-5.4/`, unchanged) pass after protection with every
 * preset. Tests of the interpreter itself, its C API, bytecode, `debug` and file access are excluded.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { obfuscate } from '../src/index.ts'
import { presets } from '../src/options.ts'
import { runAlone } from './run-lua.ts'

const FOLDER = new URL('conformance/lua-5.4/', import.meta.url)
/** Files that other tests load with `require`. */
const REQUIRED = ['bwcoercion', 'tracegc']

/** The first and last line of a range. */
type Lines = readonly [number, number]

/** Lines that depend on behavior that protection changes. */
const LEFT_OUT: Readonly<
  Record<string, readonly { readonly why: string; readonly lines: readonly Lines[] }[]>
> = {
  calls: [
    {
      why: 'dumps functions, which have upvalues of the output',
      lines: [
        [316, 317],
        [320, 327],
        [347, 356],
        [381, 395],
        [398, 419],
        [438, 479],
      ],
    },
  ],
  closure: [{ why: 'numbers upvalues', lines: [[244, 268]] }],
  coroutine: [
    { why: 'counts lines that run', lines: [[335, 352]] },
    { why: 'asks for lines of functions', lines: [[356, 357]] },
    { why: 'numbers upvalues', lines: [[938, 945]] },
  ],
  errors: [
    { why: 'dumps functions, which have upvalues of the output', lines: [[254, 269]] },
    { why: 'counts lines', lines: [[545, 549]] },
  ],
  goto: [{ why: 'numbers upvalues', lines: [[186, 218]] }],
  literals: [{ why: 'compares addresses of texts', lines: [[225, 231]] }],
  locals: [
    { why: 'asks for the upvalue _ENV', lines: [[165, 165]] },
    {
      why: 'asks for the name of a function',
      lines: [
        [260, 260],
        [407, 407],
        [413, 413],
        [422, 422],
        [430, 430],
        [740, 764],
      ],
    },
    { why: 'asks for the name of a variable in an error', lines: [[481, 482]] },
  ],
}

/**
 * Tests that run only with presets that keep their loops native. The loops wait for the garbage collector
 * without making calls. The collector cannot free the arguments of the last call while they are in registers.
 */
const ONLY_WITH_LOOPS_KEPT = { gc: ['light', 'balanced'] } as Readonly<Record<string, readonly string[]>>

const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.lua'))
  .map((name) => name.replace('.lua', ''))

function read(name: string): Buffer {
  const lines = readFileSync(new URL(`${name}.lua`, FOLDER), 'latin1').split('\n')
  const leftOut = (LEFT_OUT[name] ?? []).flatMap((each) => each.lines)
  const kept = lines.map((line, i) =>
    leftOut.some(([from, to]) => i + 1 >= from && i + 1 <= to) ? '' : line,
  )
  return Buffer.from(kept.join('\n'), 'latin1')
}

/** Runs a test from standard input, with the variables that make Lua's tests portable and fast. */
const DRIVER = `
  _port, _soft, _nomsg = true, true, true
  local write = io.write
  local run, problem = load(io.read('a'), '@script.lua')
  local ok, trace = xpcall(run or error, debug.traceback, problem)
  write('\\n', ok and 'passed' or trace)`

/** Finalizers may print more output when the state closes. */
const PASSED = /^passed/m

async function run(code: string): Promise<string> {
  return runAlone('lua5.4', ['-e', DRIVER], code)
}

function protect(name: string, preset: string): string {
  const files = Object.fromEntries([...REQUIRED, name].map((each) => [`${each}.lua`, read(each).toString()]))
  const code = read(name)
  const needsFiles = REQUIRED.some(
    (each) => code.includes(`require"${each}"`) || code.includes(`require "${each}"`),
  )
  const result = obfuscate(needsFiles ? { main: `${name}.lua`, files } : code, {
    target: 'lua54',
    preset,
    seed: 1,
  })
  if ('errors' in result) throw new Error(`${name}: ${result.errors.map((each) => each.message).join('; ')}`)
  return result.code
}

test.each(presets.map(({ id }) => id))("Lua's own tests pass at %s", async (preset) => {
  const failures: string[] = []
  for (const name of names) {
    if (REQUIRED.includes(name) || !(ONLY_WITH_LOOPS_KEPT[name] ?? [preset]).includes(preset)) continue
    const output = await run(protect(name, preset))
    if (!PASSED.test(output)) failures.push(`${name}: ${output.slice(-400)}`)
  }
  expect(failures).toEqual([])
})
