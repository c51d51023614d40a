/** Tests a project's hub line, run by real interpreters: one line starts a different script in each game. */
import { describe, expect, test } from 'vitest'
import { runLoader, runLuau } from '../packages/client/test/run-loader.ts'
import { anyEngine } from '../packages/server/test/databases.ts'
import { serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../packages/server/test/nouns.ts'

/** 15-digit IDs, which Lua 5.1 rounds when it converts them to strings. */
const FARM = '136801880565837'
const RACE = '136801880565838'

describe.each(anyEngine)('the hub line on $name', (engine) => {
  const { at } = serverOn(engine)

  async function makeHub() {
    const { owner, project } = await createOwner(at())
    const add = async (name: string, members: object) => {
      const id = await createScript(owner, project, { name, script: `print("${name}", ...)` })
      expect((await owner.post(`/v1/scripts/${id}/edit`, members)).status).toBe(200)
      return id
    }
    const farm = await add('Farm', { places: [FARM] })
    const race = await add('Race', { games: [RACE] })
    const key = await createUser(owner, project)
    const address = `${at().url}/client/v1/hub/${project}`
    return { owner, project, farm, race, key, address, add }
  }
  type Hub = Awaited<ReturnType<typeof makeHub>>

  /** Runs the line in an executor whose game has these IDs. */
  const play = ({ key, address }: Pick<Hub, 'key' | 'address'>, [place, game]: readonly [string, string]) =>
    runLuau({
      text: `return loadstring(game:HttpGet("${address}"))('one', 2)`,
      before: `script_key = "${key}"
        function gethwid() return 'DEVICE' end
        game = {
          PlaceId = ${place}, GameId = ${game}, JobId = 'job',
          HttpGet = function(_, url) return request({ Url = url, Method = 'GET' }).Body end,
          GetService = function() error('no such service', 0) end,
        }`,
    })

  test('starts the script of the place or of the game, with its arguments', async () => {
    const hub = await makeHub()
    expect(await play(hub, [FARM, '1'])).toMatchObject({ status: 0, stderr: '', stdout: 'Farm\tone\t2\n' })
    expect(await play(hub, ['1', RACE])).toMatchObject({ status: 0, stderr: '', stdout: 'Race\tone\t2\n' })
  })

  test('also works in executors whose HttpGet fails', async () => {
    const { key, address } = await makeHub()
    const text = await (await fetch(address)).text()
    const before = `script_key = "${key}" function gethwid() return 'DEVICE' end game = { PlaceId = ${FARM} }`
    expect(await runLuau({ text, before })).toMatchObject({ status: 0, stderr: '', stdout: 'Farm\n' })
    // `request` is the only function on this host that can send requests.
    expect((await runLuau({ text, before: `${before} request = nil` })).stderr).toContain("can't be reached")
  })

  test('names the supported games in another one', async () => {
    const hub = await makeHub()
    const { status, stderr } = await play(hub, ['1', '2'])
    expect([status, stderr]).toEqual([1, 'scriptward: this game is not supported. Supported: Farm, Race'])
  })

  test('does not start a script that the plan of the key leaves out', async () => {
    const hub = await makeHub()
    const path = `/v1/projects/${hub.project}`
    const plan = await hub.owner.post(`${path}/plans/new`, { name: 'Race', scripts: [hub.race] })
    const user = await hub.owner.post(`${path}/users/new`, { plan_id: plan.string('plan_id') })
    const key = user.string('user_key')
    expect((await play({ ...hub, key }, ['1', RACE])).stdout).toBe('Race\tone\t2\n')
    const denied = await play({ ...hub, key }, [FARM, '1'])
    expect(denied).toMatchObject({ status: 1, stdout: '' })
    expect(denied.stderr).toContain('(not_in_plan)')
  })

  test('starts the default script in plain Lua, which has no game', async () => {
    const { key, address, add } = await makeHub()
    await add('Tools', { games: ['any'] })
    const text = await (await fetch(`${address}?rt=51`)).text()
    const before = `script_key = "${key}" function gethwid() return "DEVICE" end`
    const outcome = await runLoader({ command: 'lua5.1', text, before, args: ['one'] })
    expect(outcome).toEqual({ status: 0, stderr: '', stdout: 'Tools\tone\n' })
  })
})
