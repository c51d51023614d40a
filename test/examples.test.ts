/** Tests the examples by following their README, against a separate server process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { ADMIN_KEY } from '../bench/served.ts'
import { FARM, RACE, runInGame } from './hubs/game.ts'
import { servedFolder } from './served-folder.ts'

const ROOT = path.join(import.meta.dirname, '..')
const HEADERS = { token: ADMIN_KEY, 'content-type': 'application/json' }

describe('the examples', () => {
  const { served, folder } = servedFolder()

  function begin(command: string, words: readonly string[]) {
    const env = { ...process.env, SCRIPTWARD_URL: served().url, SCRIPTWARD_TOKEN: ADMIN_KEY, PORT: '0' }
    return spawn(command, words, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  }

  async function run(command: string, ...words: readonly string[]) {
    const child = begin(command, words)
    const closed = once(child, 'close')
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    const [status] = (await closed) as [number | null]
    return { status, stdout, stderr }
  }

  async function post(at: string, body: object): Promise<Record<string, string>> {
    const answer = await fetch(served().url + at, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${at} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }

  it('quick-start runs a script for its first user', async () => {
    expect(await run('sh', 'examples/quick-start/run.sh')).toEqual({
      status: 0,
      stdout: 'Hello, first friend!\n',
      stderr: expect.stringMatching(/^Protecting .*\nwarning: .* is only reachable from this machine.*\n$/),
    })
  })

  it('macros behaves the same protected and unprotected', async () => {
    const file = 'examples/macros/shop.lua'
    const protectedFile = path.join(folder(), 'shop.protected.lua')
    const built = await run('./scriptward', 'obfuscate', file, '-o', protectedFile)
    expect(built).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(readFileSync(protectedFile, 'latin1')).not.toContain('to pay')
    for (const one of [file, protectedFile])
      expect(await run('lua5.1', one)).toEqual({ status: 0, stdout: 'to pay:\t190\n', stderr: '' })
  })

  it('check-key distinguishes a valid key, an invalid key and no answer', async () => {
    const { project_id = '' } = await post('/v1/projects/new', { name: 'Checked' })
    const { user_key = '' } = await post(`/v1/projects/${project_id}/users/new`, {})
    const check = (project: string, key: string) =>
      run('node', 'examples/check-key/check.mjs', served().url, project, key)
    expect(await check(project_id, user_key)).toEqual({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining(`scriptward projects edit ${project_id} --allow-checks on`),
    })
    await run('./scriptward', 'projects', 'edit', project_id, '--allow-checks', 'on')
    expect(await check(project_id, user_key)).toMatchObject({ status: 0, stdout: 'Valid key\n' })
    expect(await check(project_id, 'wrong')).toMatchObject({ status: 1, stdout: 'Denied: invalid_key\n' })
    expect(await check('prj_missing', user_key)).toMatchObject({ status: 2, stdout: '' })
  })

  it('hub starts the script for each game with one line, and its windows ask for a key once', async () => {
    const { status, stdout } = await run('sh', 'examples/hub/run.sh')
    const [farm, race, project = '', key, end] = stdout.split(/\n(?:project: |key: )?/)
    expect([status, farm, race, end]).toEqual([
      ...[0, 'The farm grows for first friend.', 'The race begins for first friend.', ''],
    ])
    expect([project, key]).toEqual([expect.stringMatching(/^prj_/), expect.stringMatching(/^\w{32}$/)])
    const hosts = { 'ward.example.com': served().url }
    for (const name of ['window', 'own-window']) {
      const { user_key = '' } = await post(`/v1/projects/${project}/users/new`, { note: 'the executor' })
      const example = readFileSync(path.join(ROOT, `examples/hub/${name}.luau`), 'utf8')
      const line = example.replace('prj_1', project)
      const enter = (key: string) => `enter('${key}', 'Check key') settle()`
      const lines = `${enter('wrong')} print('asked again') ${enter(user_key)}`
      const first = await runInGame({ place: FARM, hosts, line, lines })
      expect(first.stdout).toBe('asked again\nThe farm grows for the executor.\n')
      const next = await runInGame({ place: RACE, hosts, line, lines: enter('wrong'), files: first.files })
      expect(next.stdout).toBe('The race begins for the executor.\nno window asks for a key\n')
    }
  })

  it('webhook-receiver accepts only what the server signed', async () => {
    const receiver = begin('node', ['examples/webhook-receiver/receiver.mjs'])
    try {
      const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]()
      const url = ((await lines.next()).value as string).slice('listening on '.length)
      const { project_id } = await post('/v1/projects/new', { name: 'Garden' })
      await post(`/projects/${project_id}/edit`, { information_webhook: url })
      await post(`/v1/projects/${project_id}/webhooks/test`, { kind: 'information' })
      expect((await lines.next()).value).toBe('webhook.test Garden')
      const now = String(Math.floor(Date.now() / 1000))
      const forged = { 'webhook-id': 'evt_1', 'webhook-timestamp': now, 'webhook-signature': 'v1a,AAAA' }
      expect((await fetch(url, { method: 'POST', headers: forged, body: '{}' })).status).toBe(401)
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
    } finally {
      await end(receiver)
    }
  })
})

async function end(child: ChildProcess): Promise<void> {
  child.kill()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
