/** One use of every store function of instances, for `exercises.ts`. */
import * as executionMarks from '../../src/store/execution-marks.ts'
import * as instances from '../../src/store/instances.ts'
import * as liveInstances from '../../src/store/live-instances.ts'
import type { ExercisesOf } from './exercises.ts'
import * as rows from './rows.ts'

const { AT, instance, project, user } = rows
const STARTED: instances.StartedInstance = {
  ...instance,
  ...{ device: null, game_user_id: '1', place_id: null, job_id: null },
  ...{ told: 'told', ws_required: 1, exec: 'exe_2' },
}
const STEP = {
  exec: instance.exec,
  n: 1,
  beat_keys: Buffer.from([9, 0, 200]),
  beat_body: 'body',
  beat_reply: 'reply',
  told: null,
  last_seen: AT + 5,
  expires_at: AT + 6,
}

export const ofExecutionMarks: ExercisesOf<typeof executionMarks> = {
  insertExecutionMark: (tx) =>
    executionMarks.insertExecutionMark(tx, { ...rows.executionMark, exec: 'exe_2', user_key: null }),
  listExecutionMarks: async (tx) => {
    await executionMarks.insertExecutionMark(tx, { ...rows.executionMark, exec: 'exe_2' })
    const version = { script_id: rows.script.id, version: 1 }
    const [first] = await executionMarks.listExecutionMarks(tx, version, { after: 0, limit: 1 })
    const after = { after: first?.seq ?? 0, limit: 10 }
    const none = await executionMarks.listExecutionMarks(tx, { ...version, version: 2 }, after)
    return [first, none, await executionMarks.listExecutionMarks(tx, version, after)]
  },
  deleteOldExecutionMarks: async (tx) => {
    await executionMarks.insertExecutionMark(tx, { ...rows.executionMark, exec: 'exe_2', granted_at: AT + 1 })
    return [
      await executionMarks.deleteOldExecutionMarks(tx, AT, 10),
      await executionMarks.deleteOldExecutionMarks(tx, AT + 1, 10),
    ]
  },
}

/** More than a statement of either database may name. */
const MANY = Array.from({ length: 70_000 }, (_, i) => `none ${i}`)

export const ofInstances: ExercisesOf<typeof instances> = {
  countLiveInstances: async (tx) => {
    const before = await instances.countLiveInstances(tx, user.key, AT)
    await instances.updateKicked(tx, [instance.exec], 'disconnected')
    return [before, await instances.countLiveInstances(tx, user.key, AT)]
  },
  insertInstance: (tx) => instances.insertInstance(tx, STARTED),
  deleteInstance: async (tx) => [
    await instances.deleteInstance(tx, instance.exec),
    await instances.deleteInstance(tx, instance.exec),
  ],
  updateKicked: async (tx) => {
    const none = await instances.updateKicked(tx, [], 'disconnected')
    const first = await instances.updateKicked(tx, [...MANY, instance.exec], 'disconnected')
    return [none, first, await instances.updateKicked(tx, [instance.exec], 'token_reuse')]
  },
  updateUserKicked: (tx) => instances.updateUserKicked(tx, user.key, 'blacklisted'),
  updateProjectKicked: (tx) => instances.updateProjectKicked(tx, project.id, 'fingerprint_reset'),
  deleteEndedInstances: (tx) => instances.deleteEndedInstances(tx, instance.expires_at),
}

export const ofLiveInstances: ExercisesOf<typeof liveInstances> = {
  findStanding: (tx) => liveInstances.findStanding(tx, instance.exec),
  listStandings: async (tx) => [
    await liveInstances.listStandings(tx, []),
    await liveInstances.listStandings(tx, ['none', instance.exec]),
  ],
  listJudged: async (tx) => [
    await liveInstances.listJudged(tx, []),
    await liveInstances.listJudged(tx, ['none', instance.exec]),
  ],
  updateBeats: async (tx) => {
    await instances.insertInstance(tx, STARTED)
    const other = { ...STEP, exec: 'exe_2', told: 'else', beat_keys: null }
    const steps = [STEP, { ...STEP, exec: 'none' }, other]
    const first = await liveInstances.updateBeats(tx, steps)
    await instances.updateKicked(tx, [instance.exec], 'disconnected')
    const ended = await liveInstances.updateBeats(tx, [{ ...STEP, n: 2 }])
    const again = await liveInstances.updateBeats(tx, [other, { ...other, n: 2 }])
    return [first, ended, again].map((made) => [...made].sort())
  },
  updateBeat: async (tx) => {
    const first = await liveInstances.updateBeat(tx, STEP)
    const again = await liveInstances.updateBeat(tx, STEP)
    return [first, again, await liveInstances.updateBeat(tx, { ...STEP, n: 2, beat_keys: null })]
  },
  updateEpoch: async (tx) => {
    const connecting = { exec: instance.exec, epoch: 2, now: AT + 7 }
    const first = await liveInstances.updateEpoch(tx, connecting, 1000)
    return [first, await liveInstances.updateEpoch(tx, { ...connecting, now: AT + 9 }, 100_000)]
  },
  updateSeen: async (tx) => {
    await instances.insertInstance(tx, STARTED)
    await liveInstances.updateSeen(tx, [], 1)
    const seen = [
      { exec: instance.exec, at: AT + 3 },
      { exec: 'exe_2', at: AT + 4 },
      { exec: 'none', at: AT },
    ]
    await liveInstances.updateSeen(tx, seen, 100_000)
  },
}
