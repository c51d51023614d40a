/**
 * Tests unmodified scripts that were written for another service. A real server builds them, real
 * interpreters run them, and every variable that their author expects is available.
 */
import { describe, expect, test } from 'vitest'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from '../packages/client/test/run-loader.ts'
import { once } from '../packages/obfuscator/test/once.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { START, serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../packages/server/test/nouns.ts'

const PREPARED = COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name)
/** Time until the key expires: 90,000 seconds. */
const LEFT_MS = 90_000_000

type Story = { readonly service: string; readonly script: string; readonly prints: readonly RegExp[] }

const STORIES: readonly Story[] = [
  {
    service: 'Luarmor',
    script: `
if not LPH_OBFUSCATED then
  LPH_NO_VIRTUALIZE = function(f) return f end
  LRM_UserNote = "developer"
  LRM_INIT_SCRIPT = function(f) f() end
end
LRM_LinkedDiscordID = LRM_LinkedDiscordID or "0"
LRM_INIT_SCRIPT(function() print("init") end)
local show = LPH_NO_VIRTUALIZE(function(...) print(...) end)
show(LRM_IsUserPremium, LRM_LinkedDiscordID, LRM_ScriptName)
show(type(LRM_ScriptVersion), LRM_ScriptVersion + 0 == 1, LRM_TotalExecutions >= 1, LRM_SecondsLeft > 80000)
print("note: " .. LRM_UserNote)`,
    prints: [/^init$/, /^true\t18465\tGarden$/, /^string\ttrue\ttrue\ttrue$/, /^note: order 7$/],
  },
  {
    service: 'Leaf7',
    script: `
print("Your id: " .. L7_LinkedDiscordID)
print("Script: " .. L7_ScriptName .. " v" .. L7_ScriptVersion)
print(L7_TotalExecutions >= 1, L7_SecondsLeft ~= "Lifetime" and L7_SecondsLeft > 80000)
print("Note: " .. L7_UserNote)`,
    prints: [/^Your id: 18465$/, /^Script: Garden v1$/, /^true\ttrue$/, /^Note: order 7$/],
  },
  {
    service: 'LuaAuth',
    script: `
if not la_exists then la_discord_id = 1234567 la_seconds_left = 5 end
print(la_is_premium, la_executions >= 1, la_discord_id, la_seconds_left > 80000)
print(la_user_note, la_script_name, la_exists, type(la_supports_sessions))
la_handle("news", print)`,
    prints: [/^true\ttrue\t18465\ttrue$/, /^order 7\tGarden\ttrue\tboolean$/],
  },
  {
    service: 'Junkie',
    script: `
print(_G.JD_IsPremium, JD_IS_PREMIUM, JD_DISCORD_ID, JD_REASON)
print(JD_EXPIRES_AT - os.time() > 80000, JD_EXPIRES_AT < math.huge)`,
    prints: [/^true\ttrue\t18465\tKey validation$/, /^true\ttrue$/],
  },
]

const { at } = serverOn(sqlite)

describe.each(STORIES)('a script of $service', ({ script, prints }) => {
  const upload = once(async () => {
    const { owner, project } = await createOwner(at())
    const id = await createScript(owner, project, { name: 'Garden', script })
    const key = await createUser(owner, project, {
      note: 'order 7',
      chat_id: '18465',
      key_expires: START + LEFT_MS,
    })
    return { id, key }
  })

  async function prepare() {
    const { id, key } = await upload()
    const text = await (await fetch(`${at().url}/client/v1/loader/${id}`)).text()
    return { text, before: `script_key = "${key}" function gethwid() return "DEVICE" end` }
  }

  test.each(PREPARED)('runs unmodified in %s', async (name) => {
    const outcome = await runLoader({ command: name, ...(await prepare()), env: TRANSPORTS.LuaSocket })
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    expect(outcome.stdout.trim().split('\n')).toEqual(prints.map((each) => expect.stringMatching(each)))
  })

  test('runs unmodified in Luau', async () => {
    const outcome = await runLuau(await prepare())
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    expect(outcome.stdout.trim().split('\n')).toEqual(prints.map((each) => expect.stringMatching(each)))
  })
})
