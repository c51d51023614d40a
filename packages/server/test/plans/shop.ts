/** Test setup for plans: an account that sells keys with plans, and a customer who uses them. */
import { beforeEach } from 'vitest'
import type { Engine } from '../databases.ts'
import { START, serverOn } from '../harness.ts'
import { readUser } from '../nouns.ts'
import { run } from '../protocol/running.ts'
import { makeScene, type Scene } from '../protocol/scene.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** Each test has its own account and starts at `START`. */
export function shopOn(engine: Engine) {
  const { at } = serverOn(engine)
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })
  const project = () => `/v1/projects/${scene.projectId}`
  return {
    at,
    scene: () => scene,
    later: (ms: number) => {
      at().clock.now += ms
    },
    plan: async (members: object = {}, name = 'Pro') =>
      (await scene.owner.post(`${project()}/plans/new`, { name, ...members })).string('plan_id'),
    edit: (id: string, members: object) => scene.owner.post(`/v1/plans/${id}/edit`, members),
    sell: async (members: object) =>
      (await scene.owner.post(`${project()}/users/new`, members)).string('user_key'),
    user: (key: string) => readUser(scene.owner, key),
    play: (key: string) => run(scene.client, scene.scriptId, { key }),
    verdict: (key: string) => scene.client.verdict(scene.scriptId, { key }),
  }
}
