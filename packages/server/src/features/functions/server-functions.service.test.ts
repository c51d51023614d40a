/** Tests how authors manage server functions, and what scripts get from working and failing functions. */
import { describe, expect, it } from 'vitest'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { makeScene } from '../../../test/protocol/scene.ts'
import { rowsOf } from '../../../test/stored.ts'
import { type AskRun, answerAsks } from './ask.ts'
import { writeFunctionCalls } from './calls.ts'
import { saveFunction } from './store.ts'

const PRICE = 'return function(run, item, amount) return 10 * amount end'
const row = { source: Buffer.from('sealed'), source_bytes: 6, updated_at: 1 }
const FACTS = {
  ...{ plan: 'Pro', features: { turbo: true }, tags: ['beta'], metadata: { level: 3 }, status: 'active' },
  ...{ expiry: null, chat_id: '4712', note: 'é😀"\\', executor: 'lua5.1', version: 2 },
}

function functionScene(engine: (typeof anyEngine)[number], clientRates = 0) {
  const { at } = serverOn(engine, { config: { clientRates } })
  const begin = async () => {
    const { owner, projectId: project, scriptId: script } = await makeScene(at())
    const path = `/v1/scripts/${script}/functions`
    const run: AskRun = {
      ...{ customer_id: owner.id, project_id: project, script_id: script, exec: script },
      ...{ user_key: 'K'.repeat(32), caller: 'first', facts: FACTS, calls_per_minute: 60 },
    }
    /** Calls a function as another customer of the script. */
    const askAs = async (caller: string, name: string, ...values: unknown[]) =>
      (await answerAsks(at().deps, { ...run, caller }, [{ name, values }]))[0]
    const ask = async (name: string, ...values: unknown[]) =>
      (await answerAsks(at().deps, run, [{ name, values }]))[0]
    const put = (name: string, source: string) => owner.put(`${path}/${name}`, { source })
    const tryOut = async (name: string, values: unknown[], facts?: object) =>
      (await owner.post(`${path}/${name}/try`, { values, ...(facts && { run: facts }) })).body
    const answerOf = async (source: string, ...values: unknown[]) => {
      expect((await put('asked', source)).status).toBe(200)
      return ask('asked', ...values)
    }
    const list = async () => (await owner.get(path)).body.functions as Record<string, unknown>[]
    return { owner, project, script, path, run, ask, askAs, put, tryOut, answerOf, list }
  }
  return { at, begin }
}

/** Starting a server's processes for functions takes a second of CPU. */
const calling = functionScene(sqlite)
const limited = functionScene(sqlite, 1)

describe.each(anyEngine)('a server function on $name', (engine) => {
  const { at, begin } = functionScene(engine)

  it('is created, listed without its source, read, replaced and removed', async () => {
    const { owner, path, put, list, ask } = await begin()
    expect((await put('price', PRICE)).body).toEqual({ success: true })
    await put('area', 'return function() end')
    expect((await list()).map(({ name }) => name)).toEqual(['area', 'price'])
    const shown = {
      ...{ name: 'price', source_bytes: PRICE.length, calls: 0, failures: 0 },
      ...{ created_at: at().clock.now, updated_at: at().clock.now, last_problem: null, last_failed_at: null },
    }
    expect((await list())[1]).toEqual(shown)
    expect((await owner.get(`${path}/price`)).body.function).toEqual({ ...shown, source: PRICE })
    const stored = await rowsOf(at(), 'server_functions')
    expect(stored.map(({ source }) => Buffer.from(source).toString('latin1')).join()).not.toContain('return')
    at().clock.now += 5
    await put('price', 'return function() return "other" end')
    expect((await list())[1]).toMatchObject({ created_at: shown.created_at, updated_at: at().clock.now })
    expect(await ask('price')).toEqual({ value: 'other' })
    expect((await owner.post(`${path}/price/remove`)).body).toEqual({ success: true })
    expect((await owner.post(`${path}/price/remove`)).error.type).toBe('not_found')
    expect(await ask('price')).toEqual({ problem: 'the script has no function with this name' })
  })

  it('counts calls and failures, and notifies its owner of failures once an hour', async () => {
    const { owner, project, ask, put, list } = await begin()
    const hooks = 'https://hooks.example.com/'
    await owner.post(`/v1/projects/${project}/edit`, { information_webhook: hooks })
    await put('price', 'return function(run, a) if a then error(a) end return 1 end')
    const eventsOf = async () =>
      (await owner.get(`/v1/projects/${project}/webhooks/deliveries`)).body.deliveries as { type: string }[]
    for (const value of [undefined, 'first', 'last']) await ask('price', ...(value ? [value] : []))
    await writeFunctionCalls(at().deps)
    const failed = { calls: 3, failures: 2, last_problem: 'price:1: last', last_failed_at: at().clock.now }
    expect((await list())[0]).toMatchObject(failed)
    await ask('price', 'again')
    await writeFunctionCalls(at().deps)
    expect((await eventsOf()).map(({ type }) => type)).toEqual(['function.failed'])
    at().clock.now += 3_600_000
    await ask('price', 'later')
    await ask('price')
    await writeFunctionCalls(at().deps)
    expect((await list())[0]).toMatchObject({ calls: 6, failures: 4, last_problem: 'price:1: later' })
    expect(await eventsOf()).toHaveLength(2)
  })

  it('is rejected for invalid source, an invalid name, too many functions or an expired account', async () => {
    const { owner, put, list, script } = await begin()
    for (const [name, source, words] of [
      ['price', 'return function()\n  local x = = 3 end', 'must compile as Luau: line 2: Expected'],
      ['price', '\nerror("no")', 'must return a function: line 2: no'],
      ['price', 'return 5', 'must return a function: the source must return a function'],
      ['price', `return function() end --${'é'.repeat(40_000)}`, 'must have at most 65536 bytes (has '],
      // luau-web crashes on this source.
      ['price', '𝒳'.repeat(600), 'it terminated the Luau runtime it was running in'],
      ['Price', PRICE, 'must be 1 to 40 characters of a-z'],
      ['x'.repeat(41), PRICE, 'must be 1 to 40 characters of a-z'],
    ] as const) {
      const { status, error } = await put(name, source)
      expect([status, error.type]).toEqual([400, 'invalid_request'])
      expect(JSON.stringify(error.failed)).toContain(words)
    }
    expect(await list()).toEqual([])
    await at().deps.db.transaction(async (tx) => {
      for (let i = 0; i < 32; i += 1) await saveFunction(tx, { ...row, script_id: script, name: `f${i}` })
    })
    expect((await put('more', PRICE)).error).toMatchObject({ type: 'max_functions_reached', limit: 32 })
    expect((await put('f0', 'return function() end')).status).toBe(200)
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { plan_expires: at().clock.now - 1 })
    expect((await put('f0', PRICE)).error.type).toBe('account_expired')
  })
})

describe('a server function call', () => {
  const { at, begin } = calling

  it('passes any JSON both ways, with facts that the function cannot change', async () => {
    const { answerOf, run } = await begin()
    const value = { text: 'ü"\n\u0000', list: [1, 2.5, -3, 1e300], deep: [[[{}]]], yes: true }
    expect(await answerOf('return function(run, ...) return ... end', value)).toEqual({ value })
    expect(await answerOf('return function(run, a, b) return b == nil end', 1, null)).toEqual({ value: true })
    expect(await answerOf('return function() end')).toEqual({ value: null })
    const { value: facts } = (await answerOf('return function(run) return run end')) as {
      value: Record<string, unknown>
    }
    const { expiry: _, ...rest } = FACTS
    expect(facts).toMatchObject(rest)
    expect(facts.user).toMatch(/^usr_[0-9a-f]{32}$/)
    expect(JSON.stringify(facts)).not.toContain(run.user_key)
    const problem = { problem: 'the function failed' }
    expect(await answerOf('return function(run) run.plan = 1 end')).toEqual(problem)
    expect(await answerOf('return function(run) run.features.turbo = 1 end')).toEqual(problem)
  })

  it('finds nothing left over from earlier calls, and only Luau itself', async () => {
    const { answerOf } = await begin()
    const counting =
      'local n = 0 return function() n += 1 seen = (seen or 0) + 1 return { n, seen, #(string.kept or {}) } end'
    expect(await answerOf(counting)).toEqual({ value: [1, 1, 0] })
    expect(await answerOf(counting)).toEqual({ value: [1, 1, 0] })
    const names = `return function() local found = {}
      for name in _G do found[#found + 1] = name end
      for _, name in { 'getfenv', 'setfenv', 'loadstring', 'debug', 'require', 'io' } do
        if _G[name] ~= nil then error(name) end
      end
      table.sort(found) return table.concat(found, ' ') end`
    expect(await answerOf(names)).toEqual({
      value:
        '_G _VERSION assert bit32 buffer coroutine error getmetatable ipairs math next os pairs pcall print rawequal rawget rawlen rawset select setmetatable string table tonumber tostring type typeof unpack utf8 vector xpcall',
    })
  })

  it.each([
    ['throws', 'error("secret")', 'price:1: secret'],
    ['throws a value other than a string', 'error({})', 'it threw a table'],
    ['never ends', 'while true do end', 'it took longer than 50 ms of CPU time'],
    [
      'catches the error meant to stop it',
      'while true do pcall(function() while true do end end) end',
      '50 ms',
    ],
    ['matches a pattern endlessly', 'return (("a"):rep(30)):find(("a?"):rep(30) .. ("a"):rep(30))', '50 ms'],
    ['allocates', 'local t = {} while true do t[#t + 1] = buffer.create(100000) end', 'more than 16 MiB'],
    ['calls itself', 'local function f() return f() + 1 end return f()', 'stack overflow'],
    ['returns a function', 'return print', 'it returned a function'],
    ['returns a cyclic table', 'local t = {} t.t = t return t', 'it returned a table that contains itself'],
    [
      'returns a value nested too deeply',
      'local t = {} for i = 1, 32 do t = { t } end return t',
      'nested more than 29 levels deep',
    ],
    ['returns too much', 'return ("x"):rep(16400)', 'it returned more than 16384 bytes'],
    ['returns invalid UTF-8', 'return "\\255"', 'it returned a string that is not UTF-8'],
    ['returns NaN', 'return 0/0', 'a number that is not finite'],
    ['returns a mixed table', 'return { 1, a = 2 }', 'both list items and named keys'],
    ['returns a list with a gap', 'return { 1, nil, 3 }', 'a list with gaps'],
    ['waits', 'coroutine.yield(1)', 'attempt to yield'],
  ])(
    'of a function that %s returns an error without its message, which only the author sees',
    async (_, body, words) => {
      const { ask, put, tryOut } = await begin()
      await put('price', `return function() ${body} end`)
      const { problem } = (await ask('price')) as { problem: string }
      expect(problem).toMatch(/^the function (failed|exceeded 50 ms or 16 MiB)$/)
      const tried = await tryOut('price', [])
      expect(tried).toMatchObject({ value: null })
      expect(tried.problem).toContain(words)
      await put('price', PRICE)
      expect(await ask('price', 'gold', 3)).toEqual({ value: 30 })
    },
  )

  it('with too many, too deeply nested or too large values does not run', async () => {
    const { ask, tryOut, put } = await begin()
    await put('price', PRICE)
    const deep = JSON.parse(`${'['.repeat(33)}${']'.repeat(33)}`)
    expect(await ask('price', ...Array(17).fill(1))).toEqual({ problem: 'the arguments must be at most 16' })
    expect(await ask('price', deep)).toMatchObject({ problem: expect.stringContaining('29 levels deep') })
    expect(await ask('price', 'x'.repeat(16_384))).toMatchObject({
      problem: expect.stringContaining('16384'),
    })
    expect(await tryOut('price', [deep])).toMatchObject({ error: { type: 'invalid_request' } })
    for (const run of [
      { features: { deep } },
      { note: 'x'.repeat(255), metadata: { a: 'x'.repeat(16_384) } },
    ])
      expect(await tryOut('price', [1], run)).toMatchObject({ error: { type: 'invalid_request' } })
    expect(await ask('price', Number.POSITIVE_INFINITY)).toMatchObject({
      problem: 'the arguments must not contain numbers beyond 1.8e308',
    })
    expect(await tryOut('price', [1], { nobody: 1 })).toMatchObject({ error: { type: 'invalid_request' } })
  })

  it('can be tried with a simulated run, and returns its output and duration', async () => {
    const { put, tryOut, list } = await begin()
    await put('price', 'return function(run, a) print(run.plan, a) print(run.user) return run.executor end')
    expect(await tryOut('price', ['gold'], { plan: 'Pro', executor: 'Garden' })).toEqual({
      ...{ success: true, value: 'Garden', problem: null, printed: ['Pro\tgold', 'nil'] },
      duration_ms: expect.any(Number),
    })
    await writeFunctionCalls(at().deps)
    expect((await list())[0]).toMatchObject({ calls: 0, failures: 0 })
  })
})

describe('the output of a call', () => {
  const { begin } = calling

  it.each([
    ['long lines', `for i = 1, 9 do print(('\\u{20AC}'):rep(1000)) end`, [...Array(8).fill(1000), 192]],
    ['many lines', 'for i = 1, 200 do print(i % 10) end', Array(100).fill(1)],
    ['short and long lines', `print('') print(('x'):rep(9000)) print('y')`, [0, 8192]],
  ])('is cut after a hundred lines and 8192 characters, also with %s', async (_, body, lengths) => {
    const { put, tryOut } = await begin()
    await put('talk', `return function() ${body} end`)
    const { printed } = (await tryOut('talk', [])) as { printed: string[] }
    expect(printed.map((line) => line.length)).toEqual(lengths)
  })
})

describe('calls of one run', () => {
  const { at, begin } = limited

  it('are answered in a burst of twenty and then one per second, and the rest get an error without running', async () => {
    const { put, run, list } = await begin()
    await put('price', PRICE)
    const asks = Array.from({ length: 1000 }, (_, i) => ({ name: 'price', values: ['gold', i] }))
    const answers: object[] = []
    // Maximum number of calls per heartbeat.
    while (answers.length < asks.length)
      answers.push(...(await answerAsks(at().deps, run, asks.slice(answers.length, answers.length + 8))))
    expect(answers.slice(0, 20)).toEqual(asks.slice(0, 20).map((_, i) => ({ value: 10 * i })))
    expect(new Set(answers.slice(20).map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ problem: 'too many calls; try again in 1 s' })]),
    )
    at().clock.now += 1000
    const later = await answerAsks(at().deps, run, asks.slice(3, 5))
    expect(later).toEqual([{ value: 30 }, { problem: 'too many calls; try again in 1 s' }])
    await writeFunctionCalls(at().deps)
    expect((await list())[0]).toMatchObject({ calls: 21, failures: 0 })
  })
})

describe('accounts taking turns', () => {
  const { at, begin } = calling

  it('get answers while another account queues more calls than fit, some of which are rejected', async () => {
    const [many, other] = [await begin(), await begin()]
    await many.put('price', PRICE)
    await other.put('price', PRICE)
    const asks = Array.from({ length: 100 }, () => ({ name: 'price', values: ['gold', 1] }))
    const flood = answerAsks(at().deps, many.run, asks)
    expect(await other.ask('price', 'gold', 2)).toEqual({ value: 20 })
    const answers = (await flood).map((one) => JSON.stringify(one))
    expect(new Set(answers)).toEqual(
      new Set(['{"value":10}', '{"problem":"the server is unavailable; try again later"}']),
    )
  })
})

describe('a function that has to be stopped', () => {
  const { at, begin } = limited
  const LOOP = 'return function() while true do end end'
  const stopped = { problem: 'the function exceeded 50 ms or 16 MiB' }

  it('is paused after two stops in a minute, while others in its account keep running', async () => {
    const { put, ask } = await begin()
    await put('price', PRICE)
    await put('loop', LOOP)
    expect(await ask('loop')).toEqual(stopped)
    expect(await ask('loop')).toEqual(stopped)
    expect(await ask('loop')).toEqual({ problem: 'the function failed too often; try again in 60 s' })
    expect(await ask('price', 1, 2)).toEqual({ value: 20 })
    at().clock.now += 60_000
    expect(await ask('loop')).toEqual(stopped)
  })

  it('keeps running for other customers, however often one customer has it stopped', async () => {
    const { put, askAs } = await begin()
    const names = ['one', 'two', 'three']
    for (const name of names)
      await put(name, 'return function(_, isEndless) while isEndless do end return 1 end')
    for (let minute = 0; minute < 2; minute += 1) {
      for (const name of [...names, ...names]) await askAs('hostile', name, true)
      for (const name of names) expect(await askAs('other', name, false)).toEqual({ value: 1 })
      expect(await askAs('hostile', 'one', false)).toMatchObject({
        problem: expect.stringContaining('too often'),
      })
      at().clock.now += 60_000
    }
  })

  it('is paused for everyone when two customers have it stopped within a minute', async () => {
    const { put, askAs } = await begin()
    await put('loop', LOOP)
    expect(await askAs('first', 'loop')).toEqual(stopped)
    expect(await askAs('second', 'loop')).toEqual(stopped)
    expect(await askAs('third', 'loop')).toEqual({
      problem: 'the function failed too often; try again in 60 s',
    })
  })

  it('pauses all functions in its account after six stops in a minute, but none in another account', async () => {
    const [many, other] = [await begin(), await begin()]
    for (const scene of [many, other]) await scene.put('price', PRICE)
    const names = ['one', 'two', 'three']
    for (const name of names) await many.put(name, LOOP)
    for (const caller of ['second', 'third'])
      for (const name of names) expect(await many.askAs(caller, name)).toEqual(stopped)
    expect(await many.ask('price', 1, 2)).toMatchObject({ problem: expect.stringContaining('too often') })
    expect(await other.ask('price', 1, 2)).toEqual({ value: 20 })
  })

  it.each([
    ['tries', async ({ put, tryOut }) => (await put('loop', LOOP)) && tryOut('loop', [])],
    ['stores', async ({ put }) => (await put('loop', 'while true do end')).body],
  ] as [string, (scene: Awaited<ReturnType<typeof begin>>) => Promise<unknown>][])(
    'pauses an author who %s it twice in a minute, but no other author',
    async (_, attempt) => {
      const [author, other] = [await begin(), await begin()]
      for (let i = 0; i < 2; i++) expect(JSON.stringify(await attempt(author))).toContain('50 ms of CPU time')
      const refused = await author.put('price', PRICE)
      expect([refused.status, refused.error.type]).toEqual([429, 'rate_limited'])
      expect(refused.error.retry_after).toBe(60)
      expect((await other.put('price', PRICE)).status).toBe(200)
      at().clock.now += 60_000
      expect((await author.put('price', PRICE)).status).toBe(200)
    },
  )
})
