/**
 * Measures how much attacks recover from protected programs. `npm run bench:attacks` prints a table of scores
 * for every preset (1 means that nothing was recovered), next to scores of other obfuscators. Pass a number
 * to limit how many seconds the attack may spend forcing branches in each program (120 for the full attack).
 * `-v` prints every finding.
 */
import type { Attack, Sample } from '../packages/obfuscator/attacks/attack.ts'
import { listAttacks, readSamples } from '../packages/obfuscator/attacks/list.ts'
import { copiesOf } from '../packages/obfuscator/attacks/marks.ts'
import { type Built, obfuscate } from '../packages/obfuscator/src/index.ts'
import { type ObfuscateOptions, presets } from '../packages/obfuscator/src/options.ts'
import { serve, withChannel, withoutGrant } from '../packages/obfuscator/test/served.ts'
import { installSystemPackages } from '../scripts/system-packages.ts'
import type { Row } from './row.ts'

/** The minimum mean score that each preset guarantees. */
const PROMISES: Readonly<Record<string, number>> = { light: 0.37, balanced: 0.53, strong: 0.62, max: 0.7 }

/**
 * Mean scores of the same kinds of attacks against Prometheus 2245880 and Hercules ace084c. These are fixed
 * values from an earlier measurement.
 */
const ANCHORS = 'Prometheus weak .31, medium .55, strong .56; Hercules .31'

const SECONDS = 4

const SLOTS = 512

type Result = { readonly attack: Attack; readonly score: number; readonly findings: readonly string[] }

export async function bench(): Promise<Row[]> {
  const samples = await readSamples()
  const rows: Row[] = []
  for (const { id } of presets) {
    const results = await attackPreset(id, samples, SECONDS)
    const note = results.map(({ attack, score }) => `${attack.id} ${score.toFixed(2)}`).join(', ')
    const limit = `>= ${PROMISES[id]}`
    rows.push({ name: `${id}: mean score of attacks`, value: mean(results), unit: 'of 1', limit, note })
  }
  return rows
}

async function attackPreset(preset: string, samples: readonly Sample[], seconds: number): Promise<Result[]> {
  const results: Result[] = []
  for (const attack of listAttacks(seconds)) {
    const build = BUILDS[preset] ?? ((source, seed) => buildAlone(source, { preset, seed }).code)
    const findings: string[] = []
    let sum = 0
    for (const sample of samples) {
      const [code, sibling] = [build(sample.source, 1, attack), build(sample.source, 2, attack)]
      const built = { code, sibling, copies: marked(sample.source, preset, attack) }
      const { score, evidence } = await attack.run(sample, built, 'lua5.1')
      sum += score
      findings.push(`${sample.name}: ${score.toFixed(2)} ${evidence}`)
    }
    results.push({ attack, score: sum / samples.length, findings })
  }
  return results
}

type Building = (source: string, seed: number, attack: Attack) => string

/**
 * The `max` preset as the server builds it, run with all of its keys, which a patient customer can obtain.
 * Branches are forced without keys, because anyone who requests keys can be identified.
 */
const BUILDS: Readonly<Record<string, Building>> = {
  max(source, seed, { id }) {
    const served = serve(source, { preset: 'max', seed })
    return id === 'T6' ? withoutGrant(served) : withChannel(served)
  },
}

/**
 * For the watermark attack, returns two copies of a build that has the required number of watermark slots.
 */
function marked(source: string, preset: string, { id }: Attack): readonly [string, string] | undefined {
  if (id !== 'T19') return undefined
  const options = { preset, seed: 1, slots: SLOTS }
  if (preset !== 'max') {
    const { code, slots } = buildAlone(source, options)
    return copiesOf(code, slots)
  }
  const { code, slots, pads } = serve(source, options)
  const [first, second] = copiesOf(code, slots)
  return [withChannel({ code: first, pads }), withChannel({ code: second, pads })]
}

function buildAlone(source: string, options: ObfuscateOptions): Built {
  const result = obfuscate(source, options)
  if ('errors' in result) throw new Error(result.errors.map(({ message }) => message).join('\n'))
  return result
}

function mean(results: readonly Result[]): number {
  return results.reduce((sum, { score }) => sum + score, 0) / results.length
}

async function printTable(seconds: number, isVerbose: boolean): Promise<void> {
  await installSystemPackages()
  const samples = await readSamples()
  const columns = new Map<string, Result[]>()
  for (const { id } of presets) columns.set(id, await attackPreset(id, samples, seconds))
  const line = (head: string, cells: readonly string[]) =>
    console.log(head.padEnd(48) + cells.map((cell) => cell.padStart(10)).join(''))
  line(`${samples.length} programs, T6 for ${seconds} s each`, [...columns.keys()])
  for (const [i, { id, name }] of listAttacks(seconds).entries()) {
    line(
      `${id.padEnd(4)}${name}`,
      [...columns.values()].map((results) => (results[i]?.score ?? 0).toFixed(2)),
    )
  }
  line(
    'mean',
    [...columns.values()].map((results) => mean(results).toFixed(2)),
  )
  line(
    'promised',
    [...columns.keys()].map((id) => `>= ${PROMISES[id]}`),
  )
  console.log(`published: ${ANCHORS}`)
  if (!isVerbose) return
  for (const [preset, results] of columns) {
    for (const { attack, findings } of results)
      console.log([`\n${preset} ${attack.id}`, ...findings].join('\n  '))
  }
}

if (import.meta.main) {
  const given = process.argv.slice(2)
  await printTable(Number(given.find((each) => /^\d+$/.test(each)) ?? SECONDS), given.includes('-v'))
}
