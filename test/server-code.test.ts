/**
 * Tests code that moves to the server, end to end: its author marks it, the build removes it, the protected
 * script calls it in real interpreters, and the server executes it.
 */
import { describe, expect, test } from 'vitest'
import { writeFunctionCalls } from '../packages/server/src/features/functions/calls.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { alongside, liveScene, until } from './live-scene.ts'
import { Recorder } from './recorder.ts'

const SCRIPT = `
if not WARD_OBFUSCATED then WARD_SERVER = function(f) return f end end
local RATES = { gold = 1.25, zebrafish = 731 }
local function round(x) return math.floor(x * 100 + 0.5) / 100 end
local price = WARD_SERVER(function(item, amount)
  return round(RATES[item] * amount * (ward.features.vip and 0.8 or 1)), ward.note
end)
local echo = WARD_SERVER(function(...) return select('#', ...), ... end)
local places = WARD_SERVER({ mill = { x = 3, y = -2 }, [7] = 'seven', [true] = false, gaps = { 1, nil, 3 } })
local licensed = WARD_SERVER(function()
  if not ward.is_premium then error('capybara') end
  return ward.status == 'active' and ward.seconds_left() > 0 and ward.limit('speed') == 0
end, { cache = 'run' })
local broken = WARD_SERVER(function(t)

  return t.x.y
end)

print(price('gold', 3))
local function show(n, ...)
  local words = {}
  for i = 1, n do
    local value = (select(i, ...))
    words[i] = type(value) == 'string' and #value .. 's' or tostring(value)
  end
  print(n, table.concat(words, ' '))
end
show(echo(nil, 1.5, 'caf\\195\\169', '\\0\\255\\1', '\\1', false, nil))
show(echo())
print(select(2, echo({ 1, nil, 3 }))[3], select(2, echo({ ['\\255'] = { a = '\\254' } }))['\\255'].a == '\\254')
print(select(2, echo(1 / 0)) == math.huge, select(2, echo(0 / 0)) ~= select(2, echo(0 / 0)), select(2, echo(2 ^ 60)) == 2 ^ 60)
print(places.mill.x, places.mill.y, places[7], places[true], places.nothing, places.gaps[3])
print(licensed(), licensed())
print(pcall(broken, {}))
local function fails(f, ...) return (select(2, pcall(f, ...))) end
print(fails(echo, 1, print))
print(fails(echo, setmetatable({}, {})))
local cycle = {} cycle.again = cycle
print(fails(echo, cycle))
print(fails(echo, { 1, x = 2 }))
print(fails(echo, ('x'):rep(_VERSION == 'Luau' and 1e5 or 1e7)))
local alias = { places }
print(fails(function() alias[1].mill = 1 end))
print(pcall(pairs, alias[1]))
print('done')
ward.handle('again', function() return { value = price('gold', 1) } end)
while true do ward.step(0.1) end`

const PRINTED = [
  '3.75\torder 7',
  '7\tnil 1.5 5s 3s 1s false nil',
  '0\t',
  '3\ttrue',
  'true\ttrue\ttrue',
  '3\t-2\tseven\tfalse\tnil\t3',
  'true\ttrue',
  'false\tscriptward: the server could not run broken (line 14)',
  'scriptward: argument 2 cannot be sent to the server: it is a function',
  'scriptward: argument 1 cannot be sent to the server: it is a table with a metatable',
  'scriptward: argument 1 cannot be sent to the server: it is a table that contains itself or has more than 24 levels',
  'scriptward: argument 1 cannot be sent to the server: it is a table with both array items and named fields',
  'scriptward: too many arguments, or arguments too large',
  'scriptward: a table on the server cannot be changed: only single fields can be read',
]

describe('a protected script with code on the server', () => {
  const { at, newJob } = liveScene(sqlite)

  test.each(['lua5.1', 'luajit', 'lua5.4', 'luau'])('runs that code there, in %s', async (command) => {
    const job = await newJob(SCRIPT)
    await job.changeUser(job.key, { note: 'order 7' })
    const running = job.run({ command })
    await alongside(running, async () => {
      await until('a handler that calls the server', async () => {
        // A host on a busy machine may have lost its first connection.
        const answer = await job.tell(await job.session(), 'again')
        return answer.processed === true
      })
      await job.change('toggle', { state: false })
    })
    const { stdout } = await running
    const lines = stdout.split('\n')
    expect(lines.slice(0, PRINTED.length)).toEqual(PRINTED)
    expect(lines[PRINTED.length]).toMatch(/^false\t/)
    expect(lines[PRINTED.length + 1]).toBe('done')
    await writeFunctionCalls(at().deps)
    const { version } = (await job.owner.get(`/v1/scripts/${job.scriptId}/versions/1`)).body
    expect((version as { server_code: object[] }).server_code).toMatchObject([
      { number: 1, name: 'price', kind: 'function', place: 'line 5', calls: 2, failures: 0 },
      { number: 2, name: 'echo', kind: 'function' },
      { number: 3, name: 'places', kind: 'table', calls: 6 },
      { number: 4, name: 'licensed', calls: 1 },
      { number: 5, name: 'broken', failures: 1, last_problem: expect.stringMatching(/^line 16: /) },
    ])
  })
})

/** Makes 15 calls as soon as a command arrives, which proves that there is a session. */
const IN_SESSION = `
local double = WARD_SERVER(function(n) return n * 2 end)
local isReady
ward.handle('go', function() isReady = true return {} end)
while not isReady do ward.step(0.05) end
local right = 0
for i = 1, 15 do
  local ok, value = pcall(double, i)
  if ok and value == i * 2 then right = right + 1 else print(i, ok, value) end
  ward.step(0.1)
end
print('right', right)
local isOver
ward.handle('over', function() isOver = true return {} end)
while true do ward.step(0.1) end`

describe('a protected script with code on the server and a live session', () => {
  const { at, newJob } = liveScene(sqlite)
  type Scene = Awaited<ReturnType<typeof newJob>>

  const countCalls = async ({ owner, scriptId }: Scene) => {
    await writeFunctionCalls(at().deps)
    const { version } = (await owner.get(`/v1/scripts/${scriptId}/versions/1`)).body
    return (version as { server_code: { calls: number }[] }).server_code[0]?.calls ?? 0
  }
  const isAnswered = (job: Scene, command: string) =>
    until(`an answer to ${command}`, async () => {
      return (await job.tell(await job.session(), command)).processed === true
    })
  const play = async (command: string, meanwhile: (job: Scene) => Promise<void>) => {
    const job = await newJob(IN_SESSION)
    const running = job.run({ command })
    await alongside(running, async () => {
      await isAnswered(job, 'go')
      await meanwhile(job)
      await isAnswered(job, 'over')
      await job.change('toggle', { state: false })
    })
    expect((await running).stdout).toMatch(/^right\t15\n/)
    return job
  }

  test.each(['lua5.1', 'luajit', 'lua5.4', 'luau'])(
    'calls that code over its session, in %s',
    async (command) => {
      const job = await play(command, async () => {})
      expect(await countCalls(job)).toBe(15)
      // Without a session, each call needs a separate heartbeat. On a slow machine, a few calls still need
      // one while the session reconnects.
      expect((await job.instances())[0]?.beat_n).toBeLessThan(15)
    },
  )

  test.each(['lua5.1', 'luau'])(
    'gets each result, and makes each call only once, when its connections are cut, in %s',
    async (command) => {
      const job = await play(command, async (cut) => {
        await until('some calls', async () => (await countCalls(cut)) > 3)
        cut.wire.cut()
        await until('an attempt to reconnect', async () => cut.wire.refused > 0)
        cut.wire.set('open')
      })
      expect(await countCalls(job)).toBe(15)
    },
  )
})

/**
 * A script with a table of places, and with a pricing function and a license check that the build suggests
 * moving. `EXTRA` is a line in the target's dialect.
 */
const SOLD = `
local MARKUP = { capybara = 4827150719, zebrafish = 0.5904900217 }
local function price(item, amount)
  local base = MARKUP[item] or 1
  EXTRA
  return math.floor(base * amount + 0.5)
end
local places = WARD_SERVER({ harbor = { x = 7042396581, hint = 'under the numbat' }, mine = { x = 1 } })
local function license()
  if ward.is_premium and ward.status == 'active' then return 'wombat-' .. ward.note end
  return nil, 'no license'
end
print(price('capybara', 2), places.mine.x, license() == 'wombat-order 7')
print('sold')
ward.handle('again', function() return { value = 1 } end)
while true do ward.step(0.1) end`
/** The numbers are long, because short ones would occur in a dump by chance. */
const MOVED_WORDS = [
  'capybara',
  'zebrafish',
  '4827150719',
  '5904900217',
  '7042396581',
  'numbat',
  'wombat',
  'MARKUP',
]

/** Records all strings that the script compiles, and searches them for the moved code. */
const HOOKS = `
local dumped = {}
local function hooked(real)
  return real and function(text, ...)
    dumped[#dumped + 1] = tostring(text)
    return real(text, ...)
  end
end
load, loadstring = hooked(load), hooked(loadstring)
local show = print
print = function(...)
  show(...)
  if ... == 'sold' then
    local all = table.concat(dumped)
    show('dumped', #all > 1000)
    for _, word in ipairs({ ${MOVED_WORDS.map((word) => `'${word}'`).join(', ')} }) do
      if all:find(word, 1, true) then show('FOUND', word) end
    end
  end
end`

describe('a script whose price, places and license are on the server', () => {
  const { newJob } = liveScene(sqlite)
  type Scene = Awaited<ReturnType<typeof newJob>>

  const upload = (job: Scene, script: string, options: object) =>
    job.change('update', { script, options: { preset: 'max', ...options } })
  const suggestedNames = async ({ owner, scriptId }: Scene, version: number) => {
    const { body } = await owner.get(`/v1/scripts/${scriptId}/versions/${version}`)
    const { report } = body.version as { report: { suggestions: { name: string; obstacle: null }[] } }
    return report.suggestions.flatMap(({ name, obstacle }) => (obstacle === null ? [name] : []))
  }

  test.each([
    ['lua5.1', { target: 'lua51' }, 'base += 0'],
    ['luajit', { target: 'luajit' }, 'base = base + 0'],
    ['lua5.4', { target: 'lua54' }, 'base = base + 0'],
    ['luau', { target: 'luau' }, 'base += 0'],
    ['lua5.4', { dialect: 'fivem' }, 'base += 0'],
  ])(
    'runs in %s, and a dump of a granted run contains none of them (%o)',
    async (command, options, extra) => {
      const job = await newJob('print(1)')
      await job.changeUser(job.key, { note: 'order 7' })
      const script = SOLD.replace('EXTRA', extra)
      await upload(job, script, options)
      const names = await suggestedNames(job, 2)
      expect(names.toSorted()).toEqual(['license', 'price'])
      await upload(job, script, { ...options, server: names.join(',') })
      const recorder = await new Recorder(job.wire.url).listen()
      try {
        const running = job.run({ command, before: HOOKS, through: recorder.url })
        await alongside(running, async () => {
          await until('the handler', async () => {
            const answer = await job.tell(await job.session(), 'again')
            return answer.processed === true
          })
          await job.change('toggle', { state: false })
        })
        const lines = (await running).stdout.split('\n')
        expect(lines.slice(0, 3)).toEqual(['9654301438\t1\ttrue', 'sold', 'dumped\ttrue'])
        expect(lines.filter((line) => line.startsWith('FOUND'))).toEqual([])
        const received = recorder.exchanges.map(({ answer }) => answer).join()
        expect(MOVED_WORDS.filter((word) => received.includes(word))).toEqual([])
      } finally {
        await recorder.close()
      }
    },
  )
})
