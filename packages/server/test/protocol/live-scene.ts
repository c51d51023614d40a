/** Creates a separate scene for each session test, and provides helpers for these tests. */
import type { Hello } from '@scriptward/client/messages'
import { beforeEach } from 'vitest'
import { reconcileSessions } from '../../src/features/sessions/reconcile.ts'
import { START, type TestServer } from '../harness.ts'
import { until } from '../patience.ts'
import { type Running, run } from './running.ts'
import { makeScene, type Scene } from './scene.ts'

type Listed = { readonly id: string; readonly state: string; readonly last_seen: number }

/** Call this inside a `describe`; `scene()` returns the scene of the current test. */
export function liveScene(at: () => TestServer) {
  let scene: Scene | undefined
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })
  const current = (): Scene => {
    if (scene === undefined) throw new Error('the scene is made before each test: ask for it inside one')
    return scene
  }
  const listed = async () => {
    const { owner, scriptId } = current()
    return (await owner.get(`/v1/scripts/${scriptId}/sessions`)).body.sessions as readonly Listed[]
  }
  return {
    scene: current,
    /** Runs the script for a new user, with `changes` to the hello. */
    async start(changes: Partial<Hello> = {}): Promise<Running> {
      const { client, scriptId, addUser } = current()
      return run(client, scriptId, { key: await addUser(), ...changes })
    },
    /** Connects and waits for the session's `ready` frame. */
    async join(running: Running, auth: object = {}) {
      const socket = await running.connect(at().url, auth)
      const ready = await socket.frame('ready')
      return { socket, ready, sid: ready.sid }
    },
    message: (sid: string, key = 'greet', data: unknown = { name: 'Ada' }) =>
      current().owner.post(`/v1/sessions/${sid}/message`, { key, data }),
    listed,
    async later(ms: number): Promise<void> {
      at().clock.now += ms
      await reconcileSessions(at().deps)
    },
    async detached(): Promise<void> {
      await until(async () => (await listed())[0]?.state === 'detached')
    },
  }
}
