/** Tests that a copy still identifies its user after a lifter has translated it back to source code. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lift } from '../packages/obfuscator/attacks/lift/lifter.ts'
import { withoutGrant } from '../packages/obfuscator/test/served.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Client, serverOn } from '../packages/server/test/harness.ts'
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

/** Uses several copies, because about one key in thirty matches too few of its marks by chance. */
const COPIES = 6
const NAMED = 2

test('lifted copies identify only their own key, and report the matching marks', async () => {
  const { owner, project } = await createOwner(at(), { tier: 0 })
  const options = { preset: 'strong', seed: 'lifted' }
  const script = await createScript(owner, project, { script: SOURCE, options })
  const copies = await serve(owner, { project, script })
  let named = 0
  for (const { key, copy } of copies) {
    const { lines } = await lift(withoutGrant({ code: copy }), 'lua5.1')
    const { body } = await owner.post(`/v1/scripts/${script}/trace`, { text: lines.join('\n') })
    const [version] = body.versions as { slots: number; slots_read: number; slots_lifted: number }[]
    expect(version?.slots_lifted).toBe(version?.slots_read)
    expect(version?.slots_lifted).toBeGreaterThan(60)
    const accused = body.accused as { user_key: string; version: number }[]
    for (const one of accused) expect(one).toMatchObject({ user_key: key, version: 1 })
    named += accused.length
  }
  expect(named).toBeGreaterThanOrEqual(NAMED)
})

async function serve(
  owner: Client,
  { project, script }: { readonly project: string; readonly script: string },
) {
  const client = new ProtocolClient(at().url)
  const copies: { readonly key: string; readonly copy: string }[] = []
  for (let i = 0; i < COPIES; i++) {
    const key = await createUser(owner, project)
    const fp = { machine_id: component(`of ${key}`) }
    const { reply, keys, script: text } = await client.run(script, { key, fp })
    if (!reply.ok) throw new Error(reply.reason)
    copies.push({ key, copy: text ?? (await client.fetchScript(keys, reply)) })
  }
  return copies
}
