/**
 * Tests a server without a configured URL: the URL that it guesses is sent only to the requesting client, and
 * is never signed.
 */

import type { BootRecord } from '@scriptward/client/messages'
import { fromB64u, isBootRecordSigned } from '@scriptward/client/wire'
import { expect, test, vi } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { liveScene } from './live-scene.ts'

const FROM_AFAR = { 'x-forwarded-for': '203.0.113.7' }

const { at, newJob } = liveScene(sqlite)

test('a remote client gets a signed boot record without URLs', async () => {
  const { scriptId } = await newJob('print("unused")')
  const path = `${at().url}/client/v1/boot?script=${scriptId}`
  const { keys } = (await (await fetch(`${at().url}/client/v1/keys`)).json()) as {
    keys: { ed25519: string }[]
  }
  const boot = (await (await fetch(path, { headers: FROM_AFAR })).json()) as BootRecord
  expect(boot.urls).toEqual([])
  expect(isBootRecordSigned(fromB64u(keys[0]?.ed25519 ?? '') ?? Buffer.alloc(0), boot)).toBe(true)
  const local = (await (await fetch(path)).json()) as BootRecord
  expect(local.urls).toEqual([`${at().url}/client/v1`])
})

test.each(['lua5.1', 'luajit'])('a loader downloaded by a remote client runs in %s', async (command) => {
  const job = await newJob('print("ran")')
  vi.spyOn(job, 'download').mockImplementation(async (query = '') => {
    const path = `${at().url}/client/v1/loader/${job.scriptId}${query}`
    return (await fetch(path, { headers: { ...FROM_AFAR, connection: 'close' } })).text()
  })
  expect(await job.run({ command })).toMatchObject({ status: 0, stdout: 'ran\n' })
})
