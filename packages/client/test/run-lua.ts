// Runs Lua code on each runtime that the client supports. Tests for a missing runtime are reported as
// skipped, with its name, rather than passing silently.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface LuaRuntime {
  readonly name: 'lua5.1' | 'luajit' | 'luajit -joff' | 'lua5.4' | 'luau'
  /** The reason the runtime cannot be used on this machine; absent if it can. */
  readonly missing?: string
  /** Returns the printed output. Throws the runtime's own message if the code fails. */
  readonly run: (text: string) => Promise<string>
}

export const RUNTIMES: readonly LuaRuntime[] = [
  interpreter('lua5.1', 'lua5.1', []),
  interpreter('luajit', 'luajit', []),
  interpreter('luajit -joff', 'luajit', ['-joff']),
  interpreter('lua5.4', 'lua5.4', []),
  { name: 'luau', run: async (text) => runFile(process.execPath, [LUAU], text) },
]

const LUAU = fileURLToPath(new URL('luau.ts', import.meta.url))

/** Files of the Lua core in dependency order, with the arguments passed to each as `...`. */
const CORE = [
  ['words', 'crypto-words', ''],
  ['arithmetic', 'crypto-words-plain', 'words'],
  ['hash', 'crypto-hash', 'words'],
  ['field', 'crypto-field', ''],
  ['curve', 'crypto-curve', 'field'],
  ['buffers', 'crypto-stream-buffers', 'words'],
  ['plain', 'crypto-stream-plain', ''],
  ['stream', 'crypto-stream-text', 'words, plain'],
  ['poly1305', 'crypto-poly1305', 'field'],
  ['cipher', 'crypto-cipher', 'poly1305, buffers, stream'],
  ['base64', 'base64', ''],
  ['json', 'json', ''],
  ['lz4', 'lz4', ''],
  ['keyCheck', 'key-check', ''],
  ['isUtf8', 'utf8', ''],
  ['scrub', 'scrub', 'isUtf8'],
] as const

/**
 * Returns the entire core as locals `words`, `hash`, `curve`, `cipher`, `base64`, `json`, `lz4`, `scrub`,
 * followed by `text`.
 */
export function withCore(text: string): string {
  const files = CORE.map(
    ([local, file, needs]) => `local ${local} = (function(...)\n${source(file)}\nend)(${needs})`,
  )
  return [...files, HEX, text].join('\n')
}

type Question = {
  readonly expressions: readonly string[]
  readonly resolve: (answers: string[]) => void
  readonly reject: (problem: unknown) => void
}

/** Pending evaluations by runtime, from tests that run concurrently. */
const waiting = new Map<LuaRuntime, Question[]>()

/**
 * Evaluates Lua expressions with the core loaded, and returns their values in order. Each value must be a
 * string. One process evaluates the pending expressions of all concurrent tests.
 */
export function evaluate(runtime: LuaRuntime, expressions: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const question = { expressions, resolve, reject }
    const others = waiting.get(runtime)
    if (others) return others.push(question)
    waiting.set(runtime, [question])
    return setImmediate(() => void answer(runtime))
  })
}

async function answer(runtime: LuaRuntime): Promise<void> {
  const questions = waiting.get(runtime) ?? []
  waiting.delete(runtime)
  try {
    await answerTogether(runtime, questions)
  } catch {
    // A failure is caused by only one of the tests, so this evaluates each test's expressions separately.
    for (const each of questions) await answerTogether(runtime, [each]).catch(each.reject)
  }
}

async function answerTogether(runtime: LuaRuntime, questions: readonly Question[]): Promise<void> {
  const lines = questions.flatMap(({ expressions }) => expressions.map((each) => `print(${each})`))
  const answers = (await runtime.run(withCore(lines.join('\n')))).split('\n').slice(0, -1)
  let from = 0
  for (const { expressions, resolve } of questions) {
    resolve(answers.slice(from, from + expressions.length))
    from += expressions.length
  }
}

/** Returns a Lua expression for a byte string. All runtimes read the expression the same way. */
export function luaString(bytes: Uint8Array | string): string {
  return `unhex('${Buffer.from(bytes as string).toString('hex')}')`
}

const HEX = `local function hex(s) return (s:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end
local function unhex(s) return (s:gsub('..', function(h) return string.char(tonumber(h, 16)) end)) end`

function source(file: string): string {
  return readFileSync(new URL(`../lua/${file}.lua`, import.meta.url), 'utf8')
}

function interpreter(name: LuaRuntime['name'], command: string, flags: readonly string[]): LuaRuntime {
  const run = async (text: string) => runFile(command, flags, text)
  const found = spawnSync(command, ['-v']).error === undefined
  return found ? { name, run } : { name, run, missing: `${command} is not installed` }
}

function runFile(
  command: string,
  flags: readonly string[],
  text: string,
  words: readonly string[] = [],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'scriptward-lua-'))
  try {
    const file = join(folder, 'chunk.lua')
    writeFileSync(file, text)
    return execFileSync(command, [...flags, file, ...words], {
      encoding: 'utf8',
      stdio: 'pipe',
      maxBuffer: 1 << 26,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
