/**
 * Tests that every program in `conformance/` behaves the same before and after protection: with every preset,
 * with each pass alone and with all passes, on every host. Many programs share one process. Daytime runs
 * build for the `any` target, and with the `strong` preset also for the host's target.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { effort } from '../../client/test/effort.ts'
import { obfuscate } from '../src/index.ts'
import { type ObfuscateOptions, presets } from '../src/options.ts'
import { optionalPasses } from '../src/passes/list.ts'
import { HOSTS, type Host, type Outcome, type Program, runLua } from './run-lua.ts'
import { SEED, seeds, targets } from './seeds.ts'

const FOLDER = new URL('conformance/', import.meta.url)

type Variant = { readonly label: string; readonly options: ObfuscateOptions }

type Sample = { readonly name: string; readonly code: string; readonly hosts: readonly Host[] }

/** Files for Lua 5.1 that also run on Lua 5.4, where they print numbers differently. */
const IN_LUA_54 = [
  'closures',
  'control',
  'coroutines',
  'flow',
  'numbers',
  'order',
  'strings',
  'tables',
  'values',
]

const samples: Sample[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.lua'))
  .map((name) => {
    const code = readFileSync(new URL(name, FOLDER), 'latin1')
    const hosts = /^-- hosts: (.*)$/m.exec(code)?.[1]?.split(' ') as Host[] | undefined
    const also: readonly Host[] = IN_LUA_54.includes(name.replace('.lua', '')) ? ['lua5.4'] : []
    return { name, code, hosts: [...(hosts ?? HOSTS), ...also] }
  })

const TARGET_OF: Readonly<Record<string, string>> = {
  'lua5.1': 'lua51',
  luajit: 'luajit',
  luau: 'luau',
  'lua5.4': 'lua54',
}

const alone = optionalPasses.map(({ name }) => ({
  label: `${name} alone`,
  options: { passes: Object.fromEntries(optionalPasses.map((pass) => [pass.name, pass.name === name])) },
}))
const everywhere = {
  label: 'everything, also where it is slow',
  options: {
    passes: {
      'hide-globals': { reach: 'hot', slowLuau: true },
      'encrypt-strings': { fields: 'hot' },
      'encode-numbers': {},
    },
  },
}
const seeded = presets.flatMap(({ id }) =>
  seeds.map((seed) => ({ label: `${id}, seed ${seed}`, options: { preset: id, seed } })),
)
const variants: readonly Variant[] = [
  ...seeded,
  ...alone,
  everywhere,
  {
    label: 'names only',
    options: { passes: Object.fromEntries(optionalPasses.map(({ name }) => [name, false])) },
  },
  { label: 'wrapped', options: { parameters: ['ward'], seed: 5 } },
]
const ONE: Variant = { label: `strong, seed ${SEED}`, options: { preset: 'strong', seed: SEED } }

function protect(sample: Sample, options: ObfuscateOptions): string {
  const bytes = Uint8Array.from(sample.code, (character) => character.charCodeAt(0))
  const result = obfuscate(bytes, options)
  if ('errors' in result) throw new Error(`${sample.name}: ${result.errors.map((e) => e.message).join('; ')}`)
  expect(result.code).toMatch(/^[\n\x20-\x7e]*$/)
  if (!options.parameters) return result.code
  return `local f = (function() ${result.code} end)() return f(nil, ...)`
}

/** Builds are deterministic, so all hosts share one build for the `any` target. */
const builds = new Map<string, string>()

function protectOnce(name: string, build: () => string): string {
  const code = builds.get(name) ?? build()
  builds.set(name, code)
  return code
}

const CONTINUE = 'luajit-continue.lua'

/** Lowered Luau syntax runs on every host, and must print the same output as Luau. */
const isLowered = (sample: Sample, host: Host) =>
  host !== 'lua5.4' && (sample.name.startsWith('luau-') || sample.name === CONTINUE)

async function expectations(host: Host): Promise<Map<string, Outcome>> {
  const own = samples.filter((each) => each.hosts.includes(host))
  const foreign = samples.filter((each) => isLowered(each, host) && !own.includes(each))
  const from = (origin: Host) => foreign.filter((each) => each.hosts.includes(origin))
  const outcomes = [
    ...(await runLua(host, own)),
    ...(await runLua('luau', from('luau'))),
    ...(await runLua('luajit', from('luajit'))),
  ]
  return new Map(outcomes.map((each) => [each.name, each]))
}

function cases(host: Host): Program[] {
  return samples
    .filter((sample) => sample.hosts.includes(host) || isLowered(sample, host))
    .flatMap((sample) => variantsFor(sample, host).map((variant) => built(sample, variant)))
}

function built(sample: Sample, { label, options }: Variant): Program {
  const name = `${sample.name} | ${label} | ${options.target}`
  return { name, code: protectOnce(name, () => protect(sample, options)) }
}

function variantsFor(sample: Sample, host: Host): readonly Variant[] {
  const own = TARGET_OF[host] ?? 'any'
  if (host === 'lua5.4' || sample.name === 'luajit-only.lua') return forTarget(own, variants)
  return [
    ...targets(own).flatMap((target) => forTarget(target, variants)),
    ...effort({ day: forTarget(own, [ONE]), night: [] }),
  ]
}

function forTarget(target: string, list: readonly Variant[]): readonly Variant[] {
  return list.map(({ label, options }) => ({ label, options: { ...options, target } }))
}

/**
 * Drops the return values and arguments of lowered files, which differ between hosts only because of the
 * driver.
 */
const comparable = ({ output }: Outcome, lowered: boolean) =>
  lowered ? output.replace(/\nreturned.*$/, '') : output

describe.each<Host>([...HOSTS, 'lua5.4'])('on %s', (host) => {
  test('protected programs behave like the originals', async () => {
    const expected = await expectations(host)
    for (const { name, error } of expected.values()) expect([name, error]).toEqual([name, null])
    const outcomes = await runLua(host, cases(host))
    const wrong = outcomes.filter(({ name, output, error }) => {
      const sample = samples.find((each) => name.startsWith(`${each.name} |`)) as Sample
      const wanted = expected.get(sample.name) as Outcome
      const lowered = isLowered(sample, host)
      return error !== null || comparable({ name, output, error }, lowered) !== comparable(wanted, lowered)
    })
    expect(wrong.map(({ name, error }) => `${name}: ${error ?? 'prints something else'}`)).toEqual([])
  })
})
