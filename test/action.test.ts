/** Tests `action.yml` by running its shell step as a GitHub runner would, against a real server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { commandFolder, type Folder } from './command-line-scene.ts'

const ROOT = path.dirname(import.meta.dirname)
const ACTION = readFileSync(path.join(ROOT, 'action.yml'), 'utf8')

type Inputs = Readonly<Record<string, string>>

const { at } = serverOn(sqlite)
let owner: Owner
let project = ''
let token = ''
let folder: Folder

beforeAll(async () => {
  ;({ owner, project } = await createOwner(at()))
  const rights = { name: 'CI', scopes: ['scripts:write'], projects: [project] }
  token = (await owner.post('/v1/tokens/new', rights)).string('secret')
  folder = commandFolder(() => ({}))
})
afterAll(() => folder?.remove())

/** Returns the script of the action's only step, and the environment that these inputs produce. */
function stepWith(inputs: Inputs): { readonly script: string; readonly env: Inputs } {
  const [, script = ''] = /\n {6}run: \|\n([\s\S]*)$/.exec(ACTION) ?? []
  const [, block = ''] = /\n {6}env:\n((?: {8}.*\n)+)/.exec(ACTION) ?? []
  const names = [...block.matchAll(/^ {8}(\w+): \$\{\{ inputs\.([\w-]+) \}\}$/gm)]
  expect(names).toHaveLength(block.trim().split('\n').length)
  const env = names.map(([, name = '', input = '']) => [name, inputs[input] ?? defaultOf(input)])
  return { script: script.replace(/^ {8}/gm, ''), env: Object.fromEntries(env) }
}

function defaultOf(input: string): string {
  const found = new RegExp(`^  ${input}: \\{.*default: "(.*)" \\}$`, 'm').exec(ACTION)
  if (found === null) throw new Error(`${input} must be given`)
  return found[1] ?? ''
}

async function run(inputs: Inputs) {
  const { script, env } = stepWith({ url: at().url, token, ...inputs })
  const file = folder.write('step.sh', script)
  const output = path.join(folder.path, 'output')
  writeFileSync(output, '')
  const given = { GITHUB_ACTION_PATH: ROOT, GITHUB_OUTPUT: output, RUNNER_TEMP: folder.path, ...env }
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: folder.path, CI: 'true', ...given },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)))
  const [status] = (await once(child, 'close')) as [number | null]
  const outputs = readFileSync(output, 'utf8').trim().split('\n')
  return { status, said, outputs: Object.fromEntries(outputs.map((line) => line.split(/=(.*)/s))) }
}

describe('the action', () => {
  it('publishes a file, outputs script and loader, and creates a new version the next time', async () => {
    const file = folder.write('my script.lua', 'print("first")')
    const made = await run({ file, project, set: 'preset=light encode-numbers.share=0.5' })
    expect([made.status, made.said]).toEqual([0, expect.stringMatching(/created scr_\w+: .* preset light/)])
    const id = made.outputs['script-id']
    expect(made.outputs).toEqual({ 'script-id': id, 'loader-url': `${at().url}/client/v1/loader/${id}` })
    folder.write('lib/shop.lua', 'return { price = 3 }')
    folder.write('game/my script.lua', "print(require('../lib/shop').price)")
    const again = await run({ file: 'game/my script.lua', root: '.', script: id, project })
    expect([again.status, again.outputs['script-id']]).toEqual([0, id])
    expect((await owner.get(`/v1/scripts/${id}/versions`)).body.total).toBe(2)
  })

  it('uses scriptward.json, and fails like the command line', async () => {
    folder.write('main.lua', 'print("of the folder")')
    folder.write('scriptward.json', JSON.stringify({ project, entry: 'main.lua' }))
    expect((await run({})).status).toBe(0)
    folder.write('main.lua', 'print(')
    const broken = await run({})
    expect([broken.status, broken.said]).toEqual([2, expect.stringContaining('main.lua: line 1')])
    folder.write('main.lua', 'print("mended")')
    expect((await run({ token: 'swt_wrong' })).status).toBe(3)
    expect((await run({ file: 'missing.lua' })).said).toContain('missing.lua: no such file')
  })

  it('never executes an input as a command', async () => {
    const file = folder.write('odd $(touch made) `touch made` "; touch made #.lua', 'print(1)')
    expect((await run({ file, project })).status).toBe(0)
    expect(() => folder.read('made')).toThrow()
  })
})
