/** A user's copy that a lifter translated back into source still names the user. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lift } from '../packages/obfuscator/attacks/lift/lifter.ts'
import { withoutGrant } from '../packages/obfuscator/test/served.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createScript, createUser } from '../packages/server/test/nouns.ts'
import { component, ProtocolClient } from '../packages/server/test/protocol/client.ts'

const { at } = serverOn(sqlite)

const PROGRAMS = new URL('../bench/programs/', import.meta.url)

const SOURCE = readdirSync(PROGRAMS)
  .map(
    (name, i) =>
      `local function part${i}()\n${readFileSync(new URL(name, PROGRAMS), 'utf8')}\nend\npart${i}()`,
  )
  .join('\n')

test('a copy that was lifted names its key, and says by which marks', { timeout: 300_000 }, async () => {
  const { owner, project } = await createOwner(at(), { tier: 0 })
  const options = { preset: 'strong', seed: 'lifted' }
  const script = await createScript(owner, project, { script: SOURCE, options })
  const client = new ProtocolClient(at().url)
  const users: string[] = []
  const copies: string[] = []
  for (let i = 0; i < 3; i++) {
    const key = await createUser(owner, project)
    const fp = { machine_id: component(`of ${key}`) }
    const { reply, keys, script: text } = await client.run(script, { key, fp })
    if (!reply.ok) throw new Error(reply.reason)
    users.push(key)
    copies.push(text ?? (await client.fetchScript(keys, reply)))
  }
  const { lines } = await lift(withoutGrant({ code: copies[1] ?? '' }), 'lua5.1')
  const { body } = await owner.post(`/v1/scripts/${script}/trace`, { text: lines.join('\n') })
  const [version] = body.versions as { slots: number; slots_read: number; slots_lifted: number }[]
  expect(version?.slots_lifted).toBe(version?.slots_read)
  expect(version?.slots_lifted).toBeGreaterThan(60)
  expect(body.accused).toMatchObject([{ user_key: users[1], version: 1 }])
})
