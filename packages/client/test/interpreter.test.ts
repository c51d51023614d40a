// Tests `vm` payloads: the loader runs their data with the built-in interpreter or with an interpreter
// delivered with the payload. The data never reaches the host's compiler.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { packInterpreter } from '../src/bundle.ts'
import type { Grant } from '../src/messages.ts'
import { Peer } from './peer.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'

const peer = new Peer()
beforeAll(() => peer.listen())
afterAll(() => peer.close())
beforeEach(() => peer.reset())

const DATA = `"the first text","","'x' [[ ]] -- {}","${'long '.repeat(2000)}"`
const BODY = `return function(ward, ...)
  for i = 1, #heard do if string.find(heard[i], d[1], 1, true) then print('heard') end end
  print(#d, d[1], d[2] == '', d[3], #d[4], ward.script_name, select('#', ...), ...)
end`
const BEFORE = 'local d='
const WHOLE = `${BEFORE}{${DATA}}${BODY}`
const PLACE = [BEFORE.length, BEFORE.length + DATA.length + 2] as const
const INTERPRETER = packInterpreter(`${BEFORE}...\n${BODY}`) ?? ''
const PRINTED = "4\tthe first text\ttrue\t'x' [[ ]] -- {}\t10000\ttest script"

/** Records every string that the host compiles after this code has run. */
const LISTENING = `heard = {}
local function listening(real)
  return real and function(text, ...)
    if type(text) == 'string' then heard[#heard + 1] = text end
    return real(text, ...)
  end
end
loadstring = listening(loadstring) load = listening(load)`

const payload = (changes: Partial<Grant['payload']>) => ({ payload: changes as Grant['payload'] })
const carried = () => {
  peer.reset({ script: DATA, decide: () => payload({ kind: 'vm' }) })
  return peer.loader(undefined, { interpreter: INTERPRETER })
}
const together = (chunkBytes?: number) => {
  peer.reset({ script: WHOLE, decide: () => payload({ kind: 'vm', data: PLACE }), chunkBytes })
  return peer.loader()
}
const whole = () => {
  peer.reset({ script: WHOLE })
  return peer.loader()
}

describe.each(COMMANDS)('$name', ({ name, missing }) => {
  describe.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])('over %s', (transport) => {
    const start = (text: string) =>
      runLoader({ command: name, text, before: LISTENING, args: ['one'], env: TRANSPORTS[transport] })

    test.skipIf(missing)(`runs data that never reaches the host's compiler ${missing ?? ''}`, async () => {
      const printed = { status: 0, stdout: `${PRINTED}\t1\tone\n`, stderr: '' }
      expect(await start(carried())).toEqual(printed)
      expect(peer.hellos[0]?.caps.vm).toBe(true)
      expect(await start(together())).toEqual(printed)
      expect(peer.hellos[0]?.caps.vm).toBe(false)
      expect(await start(together(100))).toEqual(printed)
      expect(await start(whole())).toEqual({ ...printed, stdout: `heard\n${printed.stdout}` })
    })
  })
})

test("Luau runs data that never reaches the host's compiler", async () => {
  const start = (text: string) => runLuau({ text, before: LISTENING })
  const printed = { status: 0, stdout: `${PRINTED}\t0\n`, stderr: '' }
  expect(await start(carried())).toMatchObject(printed)
  expect(await start(together())).toMatchObject(printed)
  expect(await start(whole())).toMatchObject({ ...printed, stdout: `heard\n${printed.stdout}` })
})

test('reports an interpreter that the host cannot compile', async () => {
  carried()
  const text = peer.loader(undefined, { interpreter: packInterpreter('local d=... return return') ?? '' })
  const { status, stderr } = await runLoader({ command: 'lua5.1', text })
  expect([status, stderr]).toEqual([1, expect.stringContaining('scriptward: the script cannot be loaded: ')])
})

test('an interpreter that is not printable ASCII is not packed', () => {
  for (const text of ['local d=...\nreturn "é"', '\n', '']) expect(packInterpreter(text)).toBeUndefined()
})
