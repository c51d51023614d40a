/**
 * Measures the startup cost of a protected script (the time before its first original statement runs), and
 * the similarity of two builds.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { shingles, subtrees } from '../packages/obfuscator/attacks/likeness.ts'
import { readSamples } from '../packages/obfuscator/attacks/list.ts'
import { corpusOf, programs, protect } from './protected.ts'
import type { Row } from './row.ts'

const KB = 1024

export async function benchStart(preset: string): Promise<Row[]> {
  const hello = protect('print("hi")', preset)
  const corpus = protect(corpusOf(100 * KB), preset)
  const { run } = timesOf('lua5.1', corpus, 3)
  const text = programs.map(({ source }) => source).join('')
  const long = text.repeat(Math.ceil((100 * KB) / text.length)).slice(0, 100 * KB)
  const { run: ofText } = timesOf('lua5.1', protect(`local text = ${JSON.stringify(long)}`, preset), 5)
  const { load: loadHello, run: runHello } = timesOf('lua5.1', hello, 50)
  const twice = programs.map(({ source }) => [protect(source, preset), protect(source, preset)])
  const isSame = twice.every(([first, second]) => first === second)
  return [
    {
      name: `${preset}: start of print("hi") on Lua 5.1`,
      value: loadHello + runHello,
      unit: 'ms',
      limit: '<= 5',
    },
    {
      name: `${preset}: decoding 100 KB on Lua 5.1`,
      value: (run * 100 * KB) / corpus.length,
      unit: 'ms',
      limit: '<= 12',
      note: `run of ${Math.round(corpus.length / KB)} KB whose functions are not called: ${run.toFixed(1)} ms`,
    },
    { name: `${preset}: decrypting 100 KB of text on Lua 5.1`, value: ofText, unit: 'ms', limit: '<= 12' },
    ...(await likeness(preset)),
    { name: `${preset}: same seed, same bytes`, value: isSame ? 1 : 0, unit: 'of 1', limit: '= 1' },
  ]
}

async function likeness(preset: string): Promise<Row[]> {
  const samples = await readSamples()
  const rows: Row[] = []
  for (const [attack, least] of [
    [shingles, 0.7],
    [subtrees, 0.95],
  ] as const) {
    let sum = 0
    for (const sample of samples) {
      const build = {
        code: protect(sample.source, preset),
        sibling: protect(sample.source, preset, 'any', 2),
      }
      sum += (await attack.run(sample, build, 'lua5.1')).score
    }
    const name = `${preset}: ${attack.id}, difference of two seeds`
    rows.push({ name, value: sum / samples.length, unit: 'of 1', limit: `>= ${least}` })
  }
  return rows
}

const TIMER = `
print = function() end
local rounds, loading, running = tonumber(arg[2]), {}, {}
for round = 1, rounds do
  collectgarbage()
  local start = os.clock()
  local chunk = assert(loadfile(arg[1]))
  local loaded = os.clock()
  chunk()
  loading[round], running[round] = loaded - start, os.clock() - loaded
end
table.sort(loading) table.sort(running)
local middle = math.floor((rounds + 1) / 2)
io.write(loading[middle] * 1000, ' ', running[middle] * 1000)
`

/** Returns the median CPU times of all rounds, in milliseconds. */
function timesOf(host: string, code: string, rounds: number): { load: number; run: number } {
  const folder = mkdtempSync(path.join(tmpdir(), 'starting-'))
  const [timer, file] = [path.join(folder, 'timer.lua'), path.join(folder, 'protected.lua')]
  writeFileSync(timer, TIMER)
  writeFileSync(file, code, 'latin1')
  const done = spawnSync(host, [timer, file, String(rounds)], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  if (done.status !== 0) throw new Error(`${host}: ${done.stderr}`)
  const [load = 0, run = 0] = done.stdout.split(' ').map(Number)
  return { load, run }
}
