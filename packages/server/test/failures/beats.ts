/** Failures of heartbeats that are answered in the clear. */
import type { Answer } from '../answers.ts'
import { ProtocolClient } from '../protocol/client.ts'
import { type Running, run } from '../protocol/running.ts'
import { makeScene } from '../protocol/scene.ts'
import type { Failures, Scene } from './failure.ts'

async function running({ server }: Scene): Promise<Running> {
  const { scriptId, addUser } = await makeScene(server)
  return run(new ProtocolClient(server.url), scriptId, { key: await addUser() })
}

const post =
  (path: string) =>
  ({ server }: Scene, body: string): Promise<Answer> =>
    server.client().send('POST', `/client/v1/${path}`, { headers: { 'content-type': 'text/plain' }, body })
const get =
  (path: string) =>
  ({ server }: Scene, body: string): Promise<Answer> =>
    server.client().get(`/client/v1/${path}?b=${body}`)

const failuresOf = (send: ReturnType<typeof post>) => ({
  stale_beat: async (scene: Scene) => {
    const client = await running(scene)
    return send(scene, client.beatBody(1, { n: 3 }))
  },
})

export const beatFailures: Failures = {
  'client.beat': failuresOf(post('beat')),
  'client.beatByQuery': failuresOf(get('beat')),
  'client.end': failuresOf(post('end')),
  'client.endByQuery': failuresOf(get('end')),
}
