/**
 * Tests ten typical script hubs that were written for another service or for their author's own server.
 * Changing one line migrates each of them to Scriptward; docs/guide/hub.md lists these lines.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { effort } from '../packages/client/test/effort.ts'
import { anyEngine } from '../packages/server/test/databases.ts'
import { serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../packages/server/test/nouns.ts'
import { FARM, type InGame, RACE, runInGame } from './hubs/game.ts'
import { file, Web } from './hubs/web.ts'

const LIBRARY = 'loadstring(game:HttpGet("https://ward.example.com/client/v1/library?project=prj_1"))()'
const THEIRS = 'loadstring(game:HttpGet("https://keys.example/library.lua"))()'
const library = (start: string, more = ''): readonly [string, string] => [
  start + THEIRS,
  start + LIBRARY + more,
]

type Hub = {
  readonly name: string
  /** The line to change, and its replacement. */
  readonly line: readonly [string, string]
  /** The file with this line, if it isn't the hub's first file. */
  readonly file?: string
  /**
   * The button that checks the key. Without it, customers write the key into the line that starts the hub.
   */
  readonly button?: string
  /** The hub's message for a wrong key. */
  readonly denied: RegExp
}

const HUBS: readonly Hub[] = [
  { name: 'place-table', line: library('local api = '), button: 'Check key', denied: /^notice: Wrong key$/m },
  {
    ...{ name: 'premium-and-free', button: 'Check', denied: /^notice: This key / },
    line: library('local Library = ', ' Library.scripts = { p41c = "scr_premium" }'),
  },
  {
    ...{ name: 'ui-library', button: 'Check key', denied: /^notice: This key does not exist$/m },
    line: library('local API = '),
  },
  { name: 'key-in-getgenv', line: library('local api = '), denied: /^kicked: Your key is incorrect/m },
  { name: 'waiting-loop', line: library('local api = '), button: 'Verify', denied: /^Key incorrect$/m },
  {
    ...{ name: 'after-teleport', button: 'Continue', denied: /^Refused: KEY_INCORRECT$/m },
    line: library('local Keys = '),
  },
  {
    ...{ name: 'modules', file: 'modules-keys', button: 'Unlock', denied: /^notice: This key /m },
    line: library('    return '),
  },
  {
    ...{ name: 'own-server', button: 'Log in', denied: /wrong key|This key is not valid/ },
    line: [
      '  return loadstring(request({ Url = "https://ember.example/script?place=" .. game.PlaceId .. "&key=" .. key, Method = "GET" }).Body)()',
      `  return ${LIBRARY}.load(key)`,
    ],
  },
  {
    ...{ name: 'key-validator', button: 'Submit', denied: /^notice: Invalid key$/m },
    line: [
      '    Validator = function(key) return game:HttpGet("https://tundra.example/valid?key=" .. key) == "true" end,',
      `    Validator = function(key) return ${LIBRARY}.check(key).ok end,`,
    ],
  },
  {
    ...{ name: 'shared-key', button: 'Submit key', denied: /^That key does not work$/m },
    line: [
      '  return key == game:HttpGet("https://paste.example/raw/key.txt")',
      `  return ${LIBRARY}.check(key).ok`,
    ],
  },
]

/** Hosts that the hubs use, without `.example`. */
const HOSTS = ['keys', 'ui', 'hub', 'ember', 'tundra', 'paste']

const AFTER = ['after', true] as const
const BEFORE = ['before', false] as const
/** The hubs themselves do not change, so whether they work before the move is only tested at night. */
const MOVES = effort({ day: [AFTER], night: [BEFORE, AFTER] })

type Start = Omit<InGame, 'hosts' | 'line'> & { readonly hub: Hub }

/** Replaces the line that has to change in the hub. */
const moved = (text: string, [from, to]: Hub['line']) =>
  text
    .split('\n')
    .map((line) => (line === from ? to : line))
    .join('\n')

describe.each(HUBS)('the hub $name', ({ name, line, file: changed = name }) => {
  test('differs in one line after the move', () => {
    const before = file(`${changed}.luau`).split('\n')
    const after = moved(before.join('\n'), line).split('\n')
    expect(after).toHaveLength(before.length)
    expect(after.filter((one, i) => one !== before[i])).toEqual([line[1]])
  })
})

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)
  const web = new Web()
  beforeAll(() => web.listen())
  afterAll(() => web.close())

  /** Starts a hub as a customer would, or with the line that it queued for the next place. */
  function start({ hub, ...run }: Start) {
    const theirs = HOSTS.map((host) => [`${host}.example`, `${web.url}/${host}.example`] as const)
    const hosts = { 'ward.example.com': at().url, ...Object.fromEntries(theirs) }
    const line = run.files?.queued || `loadstring(game:HttpGet("https://hub.example/${hub.name}.luau"))()`
    return runInGame({ ...run, hosts, line })
  }

  /** Creates a project with scripts for two games, and a user. */
  async function makeProject() {
    const { owner, project } = await createOwner(at())
    await owner.post(`/v1/projects/${project}/edit`, { allow_checks: true })
    const add = async (name: string, place?: string) => {
      const id = await createScript(owner, project, { name, script: `print("${name} runs")` })
      if (place) await owner.post(`/v1/scripts/${id}/edit`, { places: [place] })
      return id
    }
    await add('Farm', FARM.id)
    await add('Race', RACE.id)
    const premium = await add('Farm Premium')
    return { project, premium, key: await createUser(owner, project, { note: 'Ann' }) }
  }

  /** Serves the hub's files unchanged, or with the line for this project. */
  async function serve(hub: Hub, isMoved: boolean): Promise<string> {
    const { project, premium, key } = await makeProject()
    const [from, to] = hub.line
    const line = to.replace('prj_1', project).replace('scr_premium', premium)
    web.key = key
    web.edit = (name, text) =>
      isMoved && name === `${hub.file ?? hub.name}.luau` ? moved(text, [from, line]) : text
    web.requests.length = 0
    return key
  }

  /**
   * Starts a hub and enters the keys one after another: in its window or, if it has none, in the line that
   * starts the hub.
   */
  async function enter(hub: Hub, keys: readonly string[]) {
    const { button } = hub
    if (button) {
      const lines = keys.map((key) => `enter('${key}', '${button}') settle()`).join(' ')
      return start({ hub, place: FARM, lines })
    }
    let [stdout, files]: [string, Readonly<Record<string, string>>] = ['', {}]
    for (const key of keys) {
      const outcome = await start({ hub, place: FARM, files, before: `getgenv().Key = '${key}'` })
      stdout += outcome.stdout
      files = outcome.files
    }
    return { stdout, files }
  }

  describe.each(HUBS)('the hub $name', (hub) => {
    test.each(MOVES)(
      '%s the move denies a wrong key, runs the script with a valid one and remembers it',
      async (_, isMoved) => {
        const key = await serve(hub, isMoved)
        const { stdout, files } = await enter(hub, ['a-wrong-key', key])
        const [denied, ...others] = stdout.split(/^(?=.*Farm runs$)/m)
        expect(denied).toMatch(hub.denied)
        expect(others).toEqual([expect.stringMatching(/^Farm runs$/m)])
        expect(stdout).not.toMatch(/^error|^no window/m)
        const again = await start({ hub, place: RACE, files, lines: `enter('another', '${hub.button}')` })
        expect(again.stdout).toMatch(/^Race runs\nno window asks for a key\n$/m)
        expect(again.stdout).not.toMatch(/^error/m)
        const foreign = web.requests.filter((path) => /^\/(keys|ember|tundra|paste)\./.test(path))
        expect(foreign.length > 0).toBe(!isMoved)
      },
    )
  })

  test('a hub with IDs of another service starts the script that it maps them to', async () => {
    const hub = HUBS.find(({ name }) => name === 'premium-and-free') as Hub
    const key = await serve(hub, true)
    const { stdout } = await start({ hub, place: FARM, before: `script_key = '${key}'` })
    expect(stdout).toBe('Farm Premium runs\n')
  })
})
