/** Tests `scriptward trace` with a copy that was served to a user, and with text that has no watermark. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runLua } from '../packages/obfuscator/test/run-lua.ts'
import { withoutGrant } from '../packages/obfuscator/test/served.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createProject, createScript, createUser } from '../packages/server/test/nouns.ts'
import { component, ProtocolClient } from '../packages/server/test/protocol/client.ts'
import { commandFolder, type Folder, inShell } from './command-line-scene.ts'

const SOURCE = `local function greet(name) for i = 1, 3 do print('hello ' .. name, i * 21) end return #name end
return greet('you') + greet('all of you')`

const { at } = serverOn(sqlite)
let owner: Owner
let project = ''
let script = ''
let leaker = ''
let folder: Folder
const env = () => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey })

beforeAll(async () => {
  ;({ owner, project } = await createOwner(at()))
  script = await createScript(owner, project, { name: 'Greeter', script: SOURCE })
  await createScript(owner, project, { name: 'Other', script: 'print("other")' })
  folder = commandFolder(env)
  for (const name of ['leaked', 'honest']) {
    const key = await createUser(owner, project)
    if (name === 'leaked') leaker = key
    folder.write(`${name}.lua`, await copyOf(key))
  }
})
afterAll(() => folder?.remove())

async function copyOf(key: string, id = script): Promise<string> {
  const client = new ProtocolClient(at().url)
  const { reply, keys, script: text } = await client.run(id, { key, fp: { machine_id: component(key) } })
  if (!reply.ok) throw new Error(reply.reason)
  return text ?? (await client.fetchScript(keys, reply))
}

describe('scriptward trace', () => {
  it('names the key of a copy, as text and as JSON', async () => {
    const { status, stdout, stderr } = await folder.run(['trace', 'leaked.lua', '--script', script])
    expect([status, stderr]).toEqual([0, expect.stringContaining('Comparing the text')])
    const cells = stdout.trim().split('\t')
    expect(cells.slice(0, 3)).toEqual([leaker, script, '1'])
    expect(cells[5]).toMatch(/^(\d+) of \1$/)
    const json = await folder.run(['trace', 'leaked.lua', '--script', script, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ script_id: script, accused: [{ user_key: leaker }] })
  })

  it('finds the script of a project with --all, and reads invalid UTF-8 from standard input', async () => {
    const line = `{ printf '\\377\\000'; cat leaked.lua; } | scriptward trace - --all --project ${project}`
    const { status, stdout, stderr } = await inShell(folder, line, env())
    expect([status, stdout.split('\t').slice(0, 2)]).toEqual([0, [leaker, script]])
    expect(stderr).toContain('copies of Other (2 of 2)')
  })

  it('lists candidates with their likelihood, and exits with 2 if none of them is certain', async () => {
    const varied = await createScript(owner, project, {
      name: 'Varied',
      script: "print(string.format('%.9g %.9g', WARD_VARY(61.25, 0.01), WARD_VARY(2.5, 0.1)))",
    })
    const copy = await copyOf(leaker, varied)
    await copyOf(await createUser(owner, project), varied)
    const [ran] = await runLua('lua5.1', [{ name: 'copy', code: withoutGrant({ code: copy }) }])
    const [speed = '', factor = ''] = ran?.output.split(/\s/) ?? []
    const both = folder.write('both.lua', `return { ${speed}, ${factor} }`)
    const named = await folder.run(['trace', both, '--script', varied])
    expect([named.status, named.stdout.split('\t').slice(0, 3)]).toEqual([0, [leaker, varied, '1']])
    expect(named.stdout).toMatch(/\t2\t99\.9\d%/)
    const one = await folder.run(['trace', folder.write('one.lua', `x = ${speed}`), '--script', varied])
    expect([one.status, one.stdout.split('\t')[0]]).toEqual([2, leaker])
    expect(one.stderr).toContain(
      'No certain match: 1 WARD_VARY number was read, and 2 must match to identify one user',
    )
  })

  it('exits with 2 if there is no match', async () => {
    const none = await folder.run(['trace', folder.write('own.lua', SOURCE), '--script', script, '--json'])
    expect([none.status, JSON.parse(none.stdout).accused]).toEqual([2, []])
    const [fault = ''] = none.stderr.trim().split('\n').slice(-1)
    expect(JSON.parse(fault).error.message).toContain('too little of a copy')
    const empty = await folder.run(['trace', folder.write('empty.lua', '\n'), '--script', script])
    expect([empty.status, empty.stderr]).toEqual([1, expect.stringContaining('this file is empty')])
    const which = await folder.run(['trace', 'leaked.lua'])
    expect([which.status, which.stderr]).toEqual([1, expect.stringContaining('--script scr_…, or --all')])
  })
})

describe('scriptward traces', () => {
  it('lists earlier traces with the name of the user, and shows their results', async () => {
    await owner.post(`/v1/users/${leaker}/edit`, { note: 'Order 1042' })
    await folder.run(['trace', 'leaked.lua', '--script', script])
    const traces = (...words: string[]) => folder.run(['traces', ...words, '--project', project])
    const [line = ''] = (await traces('list', '--limit', '1')).stdout.split('\n')
    const [id = '', , , name, user, version, confidence] = line.split('\t')
    expect([name, user, version, confidence]).toEqual(['Greeter', `${leaker} (Order 1042)`, '1', '99.99%'])
    const shown = (await traces('show', id)).stdout
    expect(shown).toMatch(/^Greeter traced .*\ncopy of .* SHA-256 [0-9a-f]{64}\n/)
    expect(shown).toContain(`\n${leaker}\t${script}\t1\t`)
    const none = await createProject(owner)
    expect((await folder.run(['traces', '--project', none])).stderr).toContain("'scriptward trace'")
  })
})
