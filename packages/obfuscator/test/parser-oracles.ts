/** Runs the real compilers, only to check whether they accept a program. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askProcess } from './ask-process.ts'

const LUAU = new URL('./luau-loads.ts', import.meta.url)
const LIMIT_MS = 60_000

/** Lua code that prints the number of each file that does not load, and the error. */
const LOAD_ALL = `
for i = 1, tonumber(arg[2]) do
  local chunk, message = loadfile(arg[1] .. '/' .. i .. '.lua')
  if not chunk then print(i, (message:gsub('%c', ' '))) end
end`

/**
 * Returns the errors of `lua5.1` or `luajit` for programs with one character per byte; empty if all of them
 * load.
 */
export function refusedBy(host: 'lua5.1' | 'luajit', texts: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'scriptward-parser-'))
  try {
    texts.forEach((text, i) => {
      writeFileSync(join(folder, `${i + 1}.lua`), text, 'latin1')
    })
    writeFileSync(join(folder, 'load.lua'), LOAD_ALL)
    const run = spawnSync(host, [join(folder, 'load.lua'), folder, String(texts.length)], {
      encoding: 'latin1',
    })
    if (run.status !== 0) throw new Error(`${host} failed: ${run.stderr || run.error}`)
    return run.stdout.split('\n').filter((line) => line !== '')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Returns the errors of Luau's compiler; programs must be ASCII. A crash of the compiler itself, as for `if
 * if 0 and "" then a else b + "" then end`, does not count as an error.
 */
export async function refusedByLuau(texts: readonly string[]): Promise<readonly string[]> {
  return (await askProcess<string>(LUAU, texts, LIMIT_MS)).answers
}
