/**
 * Tests server functions end to end: an author stores them, protected scripts in real interpreters call them,
 * and the server executes them.
 */
import { describe, expect, test } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { alongside, type Job, liveScene, until } from './live-scene.ts'

const FUNCTIONS = {
  price: 'return function(run, item, amount) return { item, 10 * amount, run.note } end',
  loops: 'return function() while true do end end',
  fills: "return function() local t = {} while true do t[#t + 1] = ('x'):rep(65536) .. #t end end",
  throws: "return function() error('out of stock', 0) end",
  prints: 'return function() return print end',
  circles: 'return function() local t = {} t.t = t return t end',
}
const SCRIPT = `
  local function show(name, value, problem)
    print(name, value, problem and string.sub(problem, 1, 17))
  end
  local item = ward.ask('price', 'gold', 3)
  print(item[1], item[2], item[3])
  for _, name in ipairs({ 'loops', 'fills', 'throws', 'prints', 'circles', 'nothing' }) do
    show(name, ward.ask(name))
  end
  local answered, refused = 0, 0
  for i = 1, 1000 do
    local value, problem = ward.ask('price', i, i)
    if value and value[1] == i then answered = answered + 1 elseif problem then refused = refused + 1 end
  end
  print('asked', answered + refused, answered > 0, refused > 0)
  ward.handle('again', function() return { value = ward.ask('price', 'iron', 1) } end)
  print('ready')
  while true do ward.step(0.1) end`
const PROBLEM = 'nil\tscriptward: ask: '
const PRINTED = [
  'gold\t30\torder 7',
  ...['loops', 'fills', 'throws', 'prints', 'circles', 'nothing'].map((name) => `${name}\t${PROBLEM}`),
  'asked\t1000\ttrue\ttrue',
  'ready',
]

describe('a protected script that calls server functions', () => {
  const { newJob } = liveScene(sqlite)

  async function putFunctions({ owner, scriptId }: Job): Promise<void> {
    for (const [name, source] of Object.entries(FUNCTIONS)) {
      const { status, text } = await owner.put(`/v1/scripts/${scriptId}/functions/${name}`, { source })
      expect([status, text]).toEqual([200, expect.any(String)])
    }
  }

  test.each(['lua5.1', 'luau'])(
    'gets results and errors, is rate-limited, and keeps running, in %s',
    async (command) => {
      const job = await newJob(SCRIPT)
      await job.changeUser(job.key, { note: 'order 7' })
      await putFunctions(job)
      const running = job.run({ command })
      await alongside(running, async () => {
        await until('a handler that asks', async () => {
          // A host on a busy machine may have lost its first connection.
          const answer = await job.tell(await job.session(), 'again')
          return answer.processed === true
        })
        await job.change('toggle', { state: false })
      })
      const { stdout } = await running
      expect(stdout.split('\n').slice(0, PRINTED.length)).toEqual(PRINTED)
    },
  )
})
