/**
 * Tests scripts that are delivered as data, separately from the interpreter. Real uploads run in real
 * interpreters with an instrumented compiler. The compiler's input is passed to the server's own tracing,
 * which recognizes a copy from a few dozen characters.
 */
import { describe, expect, test } from 'vitest'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from '../packages/client/test/run-loader.ts'
import { unpack } from '../packages/server/src/features/builds/lz4.ts'
import { findPayload } from '../packages/server/src/features/scripts/store/script-versions.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import type { TestServer } from '../packages/server/test/harness.ts'
import { component, ProtocolClient } from '../packages/server/test/protocol/client.ts'
import { DEVICE, type Ended, type Job, liveScene } from './live-scene.ts'

const PROGRAM = `local plants = { rose = 2, ivy = 4, oak = 6 }
local function describe(name) return name .. ' is ' .. plants[name] * 3 end
for _, name in ipairs({ 'rose', 'ivy', 'oak' }) do print(describe(name)) end
print(ward.script_version, select('#', ...))`
const PRINTED = 'rose is 6\nivy is 12\noak is 18\n'
const WHOLE = { 'split-data': false }
const CAPS = { ws: false, raw: false, lz4: true, buffer: false, post: true, max_body: 65_536 }

/** Prints every string that the host compiles afterward. */
const LISTENING = `local function listening(real)
  return real and function(text, ...)
    if type(text) == 'string' then print('<<<' .. text .. '>>>') end
    return real(text, ...)
  end
end
loadstring = listening(loadstring) load = listening(load)`

type Heard = { readonly said: string; readonly heard: string }

function listen({ status, stdout, stderr }: Ended): Heard {
  expect([status, stderr]).toEqual([0, ''])
  const texts = [...stdout.matchAll(/<<<(.*?)>>>\n/gs)].map(([, text]) => text)
  expect(texts.length).toBeGreaterThan(0)
  return { said: stdout.replaceAll(/<<<.*?>>>\n/gs, ''), heard: texts.join('\n') }
}

async function traced({ owner, scriptId }: Job, text: string): Promise<unknown> {
  const { status, body } = await owner.post(`/v1/scripts/${scriptId}/trace`, { text })
  expect(status).toBe(200)
  return (body.accused as { user_key: string }[]).map(({ user_key }) => user_key)
}

const prelude = (key: string) =>
  `script_key = "${key}" function gethwid() return "${DEVICE}" end\n${LISTENING}`

/** Returns the strings in a version's data. */
async function stored({ deps }: TestServer, { scriptId }: Job): Promise<string[]> {
  const row = await findPayload(deps.db.read, scriptId, 1)
  const text = row?.data ? unpack(row.data, row.data_size ?? 0) : ''
  return [...text.matchAll(/"([^"]*)"/g)].map(([, each = '']) => each)
}

/**
 * Minimum length of a checked string. Shorter strings, such as library function names, are in every loader.
 */
const LONG = 8

const { at, newJob } = liveScene(sqlite)

describe('the compiler of the host', () => {
  describe.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])('over %s', (transport) => {
    test.each(COMMANDS.filter(({ missing }) => !missing))(
      'sees nothing of the script in $name',
      async ({ name: command }) => {
        const job = await newJob(PROGRAM)
        const { said, heard } = listen(await job.run({ command, transport, before: LISTENING }))
        expect(said).toBe(`${PRINTED}1\t0\n`)
        expect(await traced(job, heard)).toEqual([])
        const texts = (await stored(at(), job)).filter(({ length }) => length >= LONG)
        expect(texts.length).toBeGreaterThan(5)
        expect(texts.filter((text) => heard.includes(text))).toEqual([])
      },
    )
  })

  test('sees nothing of the script in Luau', async () => {
    const job = await newJob(PROGRAM)
    const text = await job.download('?rt=luau')
    const { said, heard } = listen(await runLuau({ text, before: prelude(job.key) }))
    expect(said).toBe(`${PRINTED}1\t0\n`)
    expect(await traced(job, heard)).toEqual([])
  })

  test('sees all of a script that is not split', async () => {
    const job = await newJob(PROGRAM)
    await job.change('update', { script: PROGRAM, options: WHOLE })
    const { said, heard } = listen(await job.run({ command: 'lua5.1', before: LISTENING }))
    expect(said).toBe(`${PRINTED}2\t0\n`)
    expect(await traced(job, heard)).toEqual([job.key])
  })
})

describe('a loader', () => {
  test.each(COMMANDS.filter(({ missing }) => !missing))(
    'that was downloaded before an update runs the new version in $name, and the compiler sees nothing',
    async ({ name: command }) => {
      const job = await newJob(PROGRAM)
      const text = await job.download()
      await job.change('update', { script: `print('new') ${PROGRAM}` })
      const run = () =>
        runLoader({ command, text, before: prelude(job.key), env: TRANSPORTS.LuaSocket }).then(listen)
      // The second run starts with a boot record that has already been used.
      for (const { said, heard } of [await run(), await run()]) {
        expect(said).toBe(`new\n${PRINTED}2\t0\n`)
        expect(await traced(job, heard)).toEqual([])
      }
    },
  )

  test('that is a file runs every version, and the compiler sees nothing', async () => {
    const job = await newJob(PROGRAM)
    const { text } = await job.owner.get(`/v1/scripts/${job.scriptId}/loader-file`)
    for (const version of [1, 2]) {
      if (version === 2) await job.change('update', { script: PROGRAM })
      const { said, heard } = listen(await runLoader({ command: 'lua5.1', text, before: prelude(job.key) }))
      expect(said).toBe(`${PRINTED}${version}\t0\n`)
      expect(await traced(job, heard)).toEqual([])
    }
  })

  test('that was downloaded before a script was split or joined still runs it', async () => {
    const job = await newJob(PROGRAM)
    const texts = [await job.download()]
    await job.change('update', { script: PROGRAM, options: WHOLE })
    texts.push(await job.download())
    const run = async (text: string | undefined) =>
      (await runLoader({ command: 'luajit', text: text ?? '', before: prelude(job.key) })).stdout
    expect(await run(texts[0])).toContain(`${PRINTED}2\t0\n`)
    await job.change('update', { script: PROGRAM, options: {} })
    for (const text of texts) expect(await run(text)).toContain(`${PRINTED}3\t0\n`)
  })

  test('that gets only data runs with the numbers of its key', async () => {
    const job = await newJob("print(string.format('%.9g %.9g', WARD_VARY(61.25, 0.01), WARD_VARY(2.5, 0.1)))")
    const printed = new Set<string>()
    for (const command of ['lua5.1', 'luajit', 'lua5.4']) {
      const { said, heard } = listen(await job.run({ command, before: LISTENING }))
      expect(await traced(job, heard)).toEqual([])
      printed.add(said)
    }
    const [numbers = '', ...others] = printed
    expect([numbers, others]).toEqual([expect.stringMatching(/^61\.2\d+ 2\.\d+\n$/), []])
    const text = `x = { ${numbers.trim().replace(' ', ', ')} }`
    const { body } = await job.owner.post(`/v1/scripts/${job.scriptId}/trace`, { text })
    expect(body.candidates).toMatchObject([{ user_key: job.key, numbers_matched: 2, named: true }])
  })

  test('contains no strings of the script and no large interpreter', async () => {
    const job = await newJob('print(1)')
    // The first download of a server starts the builds of the loader. Until then, a larger one is served.
    await job.download()
    await at().deps.client.loaders.any.settle()
    const smallest = (await job.download()).length
    await job.change('update', { script: PROGRAM })
    const small = await job.download()
    const functions = Array.from({ length: 900 }, (_, i) => `function f${i}(a, b) return a * ${i} + b end`)
    await job.change('update', { script: `${functions.join('\n')} ${PROGRAM} print(f7(1, 2))` })
    const { said, heard } = listen(await job.run({ command: 'luajit', before: LISTENING }))
    expect(said).toBe(`${PRINTED}3\t0\n9\n`)
    expect(await traced(job, heard)).toEqual([])
    expect((await job.download()).length).toBeLessThan(smallest)
    expect(small.length).toBeGreaterThan(smallest)
    expect(await traced(job, small)).toEqual([])
  })
})

describe('a client', () => {
  const fetched = async (job: Job, vm: boolean | undefined, sv = 1) => {
    const caps = vm === undefined ? CAPS : { ...CAPS, vm }
    const client = new ProtocolClient(at().url)
    const fp = { machine_id: component('mine') }
    const { reply, script = '' } = await client.run(job.scriptId, { key: job.key, fp, caps, sv })
    if (!reply.ok) throw new Error(reply.reason)
    return { payload: reply.payload, text: script }
  }

  test('gets either data that is not Lua and identifies its key, the entire chunk with that data, or plain source', async () => {
    const job = await newJob(PROGRAM)
    const data = await fetched(job, true)
    expect(data.payload).toMatchObject({ kind: 'vm', mode: 'inline', size: data.text.length })
    expect(data.payload.data).toBeUndefined()
    const compiled = await runLoader({ command: 'lua5.1', text: data.text })
    expect(compiled.stderr).toContain('unexpected symbol')
    const around = await fetched(job, false)
    const [from, to] = around.payload.data ?? [0, 0]
    expect(around.text.slice(from + 1, to - 1)).toHaveLength(data.text.length)
    expect(around.text.slice(from, to)).toMatch(/^\{".*"\}$/)
    expect((await fetched(job, true, 7)).payload).toMatchObject({ kind: 'vm', data: [from, to] })
    const chunk = await fetched(job, undefined)
    expect(chunk.payload).toMatchObject({ kind: 'source', size: around.text.length })
    expect(chunk.payload.data).toBeUndefined()
    for (const { text } of [data, around, chunk]) expect(await traced(job, text)).toEqual([job.key])
  })

  test.each([
    ['light', PROGRAM],
    ['balanced', PROGRAM],
    ['strong', `${PROGRAM} WARD_JIT(function() return 1 end)()`],
  ])('gets a single piece at %s, where functions stay whole', async (preset, script) => {
    const job = await newJob('print(1)')
    await job.change('update', { script, options: { preset } })
    expect((await fetched(job, true, 2)).payload).toMatchObject({ kind: 'source', mode: 'inline' })
  })
})
