/**
 * Measures the cost of protection for every preset: time, size, memory, startup, and the slowdown of
 * protected programs on every host. `npm run bench:obfuscator` prints these figures. `-- strong` measures one
 * preset. `-- full` runs three rounds of every program and also measures builds that target the host.
 */
import { presets } from '../packages/obfuscator/src/options.ts'
import { installSystemPackages } from '../scripts/system-packages.ts'
import { benchMegabyte } from './megabyte.ts'
import { corpusOf, cpuTime, programs, protect } from './protected.ts'
import type { Row } from './row.ts'
import { type Host, median, slowdown } from './slowdown.ts'
import { benchStart } from './starting.ts'

const hosts: readonly { readonly host: Host; readonly name: string; readonly target: string }[] = [
  { host: 'lua5.1', name: 'Lua 5.1', target: 'lua51' },
  { host: 'luajit', name: 'LuaJIT', target: 'luajit' },
  { host: 'luau', name: 'Luau', target: 'luau' },
]

type Promised = {
  readonly time: number
  readonly fixed: number
  readonly factor: number
  /** One entry per host, in the order of `hosts`. */
  readonly slowdown: readonly number[]
  readonly worst?: readonly number[]
}

const promises: Readonly<Record<string, Promised>> = {
  light: { time: 0.6, fixed: 3072, factor: 1.3, slowdown: [1.15, 1.3, 1.2] },
  balanced: { time: 1.5, fixed: 8192, factor: 2.5, slowdown: [2, 2.5, 2.5] },
  strong: { time: 4, fixed: 15_360, factor: 5, slowdown: [5, 6, 6.5], worst: [15, 40, 20] },
  max: { time: 6, fixed: 20_480, factor: 6, slowdown: [6.5, 8, 8] },
}

/** In quick mode, runs one round with the default target. */
export async function bench(): Promise<Row[]> {
  const rows: Row[] = []
  for (const { id } of presets) for await (const row of benchPreset(id, false)) rows.push(row)
  return rows
}

/** Yields each figure as soon as it is measured. */
async function* benchPreset(preset: string, isFull: boolean): AsyncGenerator<Row> {
  const promised = promises[preset]
  if (!promised) throw new Error(`nothing is promised of ${preset}`)
  yield* costs(preset, promised)
  yield* await benchStart(preset)
  yield* await benchMegabyte(preset)
  for (const [i, { host, name, target }] of hosts.entries()) {
    for (const wanted of isFull ? ['any', target] : ['any']) {
      const label = `${preset}: on ${name}, target ${wanted}`
      const { geomean, slowest } = await slowdowns(host, { preset, target: wanted, rounds: isFull ? 3 : 1 })
      const [limit, worst] = [promised.slowdown[i], promised.worst?.[i]]
      const note = slowest.map((each) => `${each.name} ${each.ratio.toFixed(2)}`).join(', ')
      yield { name: `${label}, slowdown`, value: geomean, unit: 'x', limit: `<= ${limit}` }
      const most = { name: `${label}, worst program`, value: slowest[0]?.ratio ?? 0, unit: 'x', note }
      yield worst === undefined ? most : { ...most, limit: `<= ${worst}` }
    }
  }
}

/**
 * Size factors exclude the fixed overhead that the preset may add. The smallest program shows the actual
 * overhead.
 */
function costs(preset: string, { time, fixed, factor }: Promised): Row[] {
  const corpus = corpusOf(100 * 1024)
  for (let i = 0; i < 5; i++) protect(corpus, preset)
  const times = Array.from({ length: 7 }, () => cpuTime(() => void protect(corpus, preset)))
  const hello = protect('print("hi")', preset).length
  const all = [corpus, ...programs.map(({ source }) => source)]
  const factors = all.map((source) => (protect(source, preset).length - fixed) / source.length)
  const perKb = median(times) / (corpus.length / 1024)
  return [
    { name: `${preset}: time at 100 KB`, value: perKb, unit: 'ms/KB', limit: `<= ${time}` },
    { name: `${preset}: size of print("hi")`, value: hello, unit: 'bytes', limit: `<= ${fixed}` },
    {
      name: `${preset}: size beyond ${fixed} bytes, worst`,
      value: Math.max(...factors),
      unit: 'x',
      limit: `<= ${factor}`,
    },
  ]
}

type Run = { readonly preset: string; readonly target: string; readonly rounds: number }
type Measured = { readonly name: string; readonly ratio: number }

async function slowdowns(
  host: Host,
  { preset, target, rounds }: Run,
): Promise<{ geomean: number; slowest: readonly Measured[] }> {
  const found: Measured[] = []
  for (const { name, source } of programs) {
    const ratio = await slowdown(host, source, protect(source, preset, target), rounds)
    found.push({ name: name.replace('.lua', ''), ratio })
  }
  const sum = found.reduce((total, { ratio }) => total + Math.log(ratio), 0)
  return {
    geomean: Math.exp(sum / found.length),
    slowest: found.toSorted((a, b) => b.ratio - a.ratio).slice(0, 3),
  }
}

async function printFigures(words: readonly string[]): Promise<void> {
  await installSystemPackages()
  const wanted = presets.filter(({ id }) => words.includes(id))
  for (const { id } of wanted.length > 0 ? wanted : presets) {
    for await (const row of benchPreset(id, words.includes('full'))) {
      const { name, value, unit, limit, note } = row
      console.log(`${name.padEnd(52)} ${value.toFixed(3)} ${unit} ${limit ?? ''} ${note ?? ''}`.trimEnd())
    }
  }
}

if (import.meta.main) await printFigures(process.argv.slice(2))
