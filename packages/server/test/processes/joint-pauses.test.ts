/**
 * Tests that a pause after invalid keys is started only once, although several processes count invalid keys
 * together over Valkey.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AttemptLimiter } from '../../src/platform/limits/attempt-limiter.ts'
import { Valkey } from '../../src/platform/valkey/valkey.ts'
import { startValkey, type ValkeyServer } from './valkey-server.ts'

const NOW = 1_767_323_045_678
/** A process whose command times out counts alone for a moment, which a busy machine must not cause. */
const COMMAND_MS = 120_000

let server: ValkeyServer
let opened: Valkey[]
beforeAll(async () => {
  server = await startValkey()
  const open = () => Valkey.open({ url: server.url, name: 'pauses', failed: () => {}, commandMs: COMMAND_MS })
  opened = await Promise.all([open(), open()])
})
afterAll(async () => {
  for (const one of opened) one.close()
  await server.remove()
})

test('of two processes, the one that sees the fifth invalid key starts the pause', async () => {
  const [first, second] = opened.map((valkey) => new AttemptLimiter(1, valkey))
  const begun: number[] = []
  for (let i = 0; i < 12; i += 1)
    begun.push((await (i % 2 === 0 ? first : second)?.countWrongKey('192.0.2.7', NOW)) ?? -1)
  expect(begun).toEqual([0, 0, 0, 0, 900_000, 0, 0, 0, 0, 0, 0, 0])
})
