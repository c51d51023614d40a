/** Failures of the client protocol that are answered in the clear: boot records that are not, or no longer, good. */
import { randomBytes } from 'node:crypto'
import { BOOT_LIFETIME_MS } from '@scriptward/client/messages'
import type { Answer } from '../answers.ts'
import { helloFor, ProtocolClient } from '../protocol/client.ts'
import type { Failures, Scene } from './failure.ts'

type Send = (scene: Scene, body: string) => Promise<Answer>

const post: Send = ({ server }, body) =>
  server.client().send('POST', '/client/v1/exec', { headers: { 'content-type': 'text/plain' }, body })
const get: Send = ({ server }, body) => server.client().get(`/client/v1/exec?b=${body}`)

/** As many bodies with one boot record as are asked for, for a script of their own. */
async function bodiesOf(scene: Scene, count: number): Promise<string[]> {
  const { nouns } = await scene.furnish()
  const scriptId = nouns.script_id ?? ''
  const client = new ProtocolClient(scene.server.url)
  const boot = await client.boot(scriptId)
  const requests = Array.from({ length: count }, () => client.request(boot, helloFor(scriptId)))
  return (await Promise.all(requests)).map(({ body }) => body)
}

/** A body that no loader sent before. */
async function freshBody(scene: Scene): Promise<string> {
  const [body = ''] = await bodiesOf(scene, 1)
  return body
}

function withField(body: string, index: number, text: string): string {
  return body.split('.').with(index, text).join('.')
}

const failuresOf = (send: Send) => ({
  boot_expired: async (scene: Scene) => {
    const body = await freshBody(scene)
    scene.server.clock.now += BOOT_LIFETIME_MS
    return send(scene, body)
  },
  boot_reused: async (scene: Scene) => {
    const [first = '', second = ''] = await bodiesOf(scene, 2)
    await send(scene, first)
    return send(scene, second)
  },
  boot_invalid: async (scene: Scene) =>
    send(scene, withField(await freshBody(scene), 2, randomBytes(40).toString('base64url'))),
  kid_unknown: async (scene: Scene) => send(scene, withField(await freshBody(scene), 1, '00000000')),
})

export const executionFailures: Failures = {
  'client.exec': failuresOf(post),
  'client.execByQuery': failuresOf(get),
}
