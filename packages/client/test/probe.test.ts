// Tests that loaders on every host report which functions the host has.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { kick } from '../src/live-messages.ts'
import type { Grant } from '../src/messages.ts'
import { isProbeAnswer, PROBE_LIST, PROBED_FUNCTIONS, readProbe, writeProbe } from '../src/probe.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'
import { BEATS, NO_SESSION, SESSION, withPeer } from './story.ts'

const HOSTS = [...COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name), 'luau'] as const
// Luau doesn't report the end of a run unless the script crashes.
const CRASH = "return function(ward)\nerror('over', 0)\nend"

/** Runs a script to its end and returns the reports that arrived. */
function play(host: string, { before = '', ...granted }: Partial<Grant> & { before?: string }) {
  return withPeer(async (peer) => {
    peer.reset({ script: CRASH, decide: () => ({ ws: NO_SESSION, ...granted }) })
    const run = { text: peer.loader(), before: `script_key = "HUB-U4Q5H-LUE6A-QZXAS"\n${before}` }
    const { stderr } =
      host === 'luau' ? await runLuau(run) : await runLoader({ ...run, command: host, env: TRANSPORTS.curl })
    expect(stderr).toContain('over')
    return peer.live.probes
  })
}

const found = (has: string) => PROBED_FUNCTIONS.filter((_, i) => readProbe(has)[i])

/**
 * Runs a script that waits until a heartbeat has arrived. Without LuaSocket, the loader's clock has whole
 * seconds, so the first one may be the last moment of a step.
 */
async function waitFor(host: string, granted: Partial<Grant>) {
  return withPeer(async (peer) => {
    const script = 'return function(ward)\nward.step(2)\nend'
    peer.reset({ script, decide: () => ({ ws: NO_SESSION, beat: BEATS, ...granted }) })
    const run = { text: peer.loader(), before: 'script_key = "HUB-U4Q5H-LUE6A-QZXAS"' }
    if (host === 'luau') await runLuau(run)
    else await runLoader({ ...run, command: host, env: TRANSPORTS.curl })
    return { probes: peer.live.probes, beats: peer.live.beats }
  })
}

describe.each(HOSTS)('in %s', { concurrent: true }, (host) => {
  const granted = { errors: true as const }

  test('reports what the host has, and only once', async () => {
    const probes = await play(host, { ...granted, probe: PROBE_LIST })
    expect(probes).toHaveLength(1)
    const names = found(probes[0]?.has ?? '')
    expect(names.includes('buffer.create')).toBe(host === 'luau')
    expect(names.includes('getfenv')).toBe(host !== 'lua5.4')
    expect(names).not.toContain('hookfunction')
  })

  test('reports it with the first heartbeat', async () => {
    const { probes, beats } = await waitFor(host, { probe: PROBE_LIST })
    expect(probes).toHaveLength(1)
    expect(beats[0]?.p).toEqual(probes[0])
  })

  test('reports functions, not other values, and survives a host that raises errors', async () => {
    const before = `writefile = function() end
readfile = 'no function'
crypt = setmetatable({}, { __index = function() error('strict') end })
Drawing = { new = function() error('called') end }`
    const [probe] = await play(host, { ...granted, probe: PROBE_LIST, before })
    const names = found(probe?.has ?? '')
    expect(names).toEqual(expect.arrayContaining(['writefile', 'Drawing.new']))
    for (const name of ['readfile', 'crypt.encrypt']) expect(names).not.toContain(name)
  })

  test('reports nothing if the server does not ask, or asks for another list', async () => {
    expect(await play(host, granted)).toEqual([])
    expect(await play(host, { ...granted, probe: PROBE_LIST + 1 })).toEqual([])
  })
})

test.each([
  ['without regular heartbeats', { ws: NO_SESSION }],
  ['while a session is open', { ws: SESSION }],
])('a host with threads reports it with a heartbeat %s', async (_, granted) => {
  const script = `return function(ward)
  ward.on_kick = function(reason) print('kick', reason) end
end`
  await withPeer(async (peer) => {
    peer.reset({
      script,
      decide: () => ({ beat: { ...BEATS, on: false }, probe: PROBE_LIST, ...granted }),
    })
    peer.live.scene.beat = () => kick('disconnected')
    const { stdout } = await runLuau({ text: peer.loader(), before: 'script_key = "KEY-1"', live: true })
    expect(stdout).toContain('disconnected')
    expect(peer.live.beats.map(({ p }) => p?.v)).toEqual([PROBE_LIST])
    expect(found(peer.live.probes[0]?.has ?? '')).toContain('task.spawn')
  })
})

test('an answer has one digit for every four functions', () => {
  const bits = PROBED_FUNCTIONS.map((_, i) => i % 3 === 0)
  const has = writeProbe(bits)
  expect(readProbe(has)).toEqual(bits)
  expect(isProbeAnswer({ v: PROBE_LIST, has })).toBe(true)
  const invalid = [
    `${has}0`,
    has.slice(1),
    has.replace(/./, 'g'),
    has.replace(/./, 'F'),
    '',
    null,
    5,
    'f'.repeat(1e6),
  ]
  for (const bad of invalid) expect(isProbeAnswer({ v: PROBE_LIST, has: bad })).toBe(false)
  for (const bad of [null, [], has, { has }, { v: 2, has }, { v: 1, has, more: 1 }])
    expect(isProbeAnswer(bad)).toBe(false)
})

test('the loader looks for the functions of the list, in the same order', () => {
  const lua = readFileSync(new URL('../lua/probe.lua', import.meta.url), 'utf8')
  const lines = [...lua.matchAll(/^ {2}\.\. '(.*)'$/gm)].map(([, line]) => line)
  expect(lines.join('').trim().split(' ')).toEqual(PROBED_FUNCTIONS)
  expect(PROBED_FUNCTIONS.length % 4).toBe(0)
})
