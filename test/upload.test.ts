/** `scriptward upload` as authors run it: a process of its own against a real service. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'

const MAIN = path.join(import.meta.dirname, '../packages/cli/src/main.ts')

describe('scriptward upload', () => {
  const { at } = serverOn(sqlite)
  let folder = ''
  let owner: Owner
  let project = ''

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'scriptward-upload-'))
    ;({ owner, project } = await createOwner(at()))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  async function upload(words: readonly string[], env: Record<string, string> = {}) {
    const settings = { SCRIPTWARD_URL: at().url, SCRIPTWARD_KEY: owner.apiKey, ...env }
    const child = spawn(process.execPath, [MAIN, 'upload', ...words], {
      cwd: folder,
      env: { ...process.env, ...settings },
    })
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { status: await closed, stdout, stderr }
  }

  function write(name: string, source: string | Buffer): string {
    writeFileSync(path.join(folder, name), source)
    return name
  }

  async function sourceOf(script: string, version: number): Promise<string> {
    return (await owner.get(`/v1/scripts/${script}/versions/${version}/source`)).text
  }

  it('creates a script with the name of the file, and then new versions of it', async () => {
    const file = write('hello.lua', 'print("first")')
    const made = await upload([file, '--project', project])
    expect(made).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^created scr_\w+\n$/),
      stderr: '',
    })
    const script = made.stdout.trim().slice('created '.length)
    write('hello.lua', 'print("second")')
    const again = await upload([file, '--project', project, '--url', `${at().url}/`], { SCRIPTWARD_URL: '' })
    expect(again).toEqual({ status: 0, stdout: `updated ${script}\n`, stderr: '' })
    expect(await sourceOf(script, 2)).toContain('second')
    const named = write('other.lua', 'print("third")')
    expect(await upload([named, '--script', script])).toMatchObject({ stdout: `updated ${script}\n` })
    expect(await sourceOf(script, 3)).toContain('third')
    expect((await owner.get(`/v1/projects/${project}/scripts`)).body.total).toBe(1)
  })

  it('passes options on to the obfuscator', async () => {
    const file = write('plain.lua', 'print("kept in the open")')
    const words = [file, '--project', project, '--set', 'preset=light', 'encrypt-strings=false']
    const { stdout } = await upload(words)
    const script = stdout.trim().slice('created '.length)
    const version = await owner.get(`/v1/scripts/${script}/versions/1`)
    expect(version.text).toContain('"preset":"light"')
  })

  it('prints the diagnostics of a refused source with their lines, and exits with 2', async () => {
    const { status, stderr } = await upload([write('bad.lua', 'local x = = 1\n'), '--project', project])
    expect(status).toBe(2)
    expect(stderr).toMatch(/^bad\.lua: line 1, column 11: ./)
  })

  it('refuses a name that two scripts have, and names both', async () => {
    for (const script of ['return 1', 'return 2'])
      await owner.post(`/v1/projects/${project}/scripts/new`, { name: 'twice', script })
    const { status, stderr } = await upload([write('twice.lua', 'return 3'), '--project', project])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/choose one with --script scr_\w+ or scr_\w+/),
    ])
  })

  it('says what to do when the key, the project, the address or the encoding is wrong', async () => {
    const file = write('fine.lua', 'return 1')
    const words = [file, '--project', project]
    const cases = [
      [await upload(words, { SCRIPTWARD_KEY: '' }), 1, 'set SCRIPTWARD_KEY'],
      [await upload(words, { SCRIPTWARD_KEY: 'wrong' }), 2, 'refuses the API key: set SCRIPTWARD_KEY'],
      [await upload([file]), 1, 'give --project'],
      [await upload([file, '--project', 'prj_missing']), 2, 'prj_missing does not exist, or belongs to'],
      [await upload([...words, '--url', 'http://127.0.0.1:1']), 1, 'start the service, or give --url'],
      [await upload([...words, '--url', 'nowhere']), 1, 'give one such as http://127.0.0.1:8080'],
      [await upload([...words, '--set', 'nothing=1']), 2, 'nothing'],
      [await upload([write('latin1.lua', Buffer.from([0xff])), '--project', project]), 1, 'not UTF-8'],
      [await upload(['missing.lua', '--project', project]), 1, 'missing.lua'],
    ] as const
    for (const [{ status, stderr }, code, words] of cases) {
      expect(stderr).toContain(words)
      expect([status, stderr]).toEqual([code, stderr])
      expect(stderr).not.toContain(owner.apiKey)
    }
  })
})
