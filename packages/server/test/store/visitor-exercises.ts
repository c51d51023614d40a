/** One use of every store function of visitors of ad systems, for `exercises.ts`. */
import * as adAttempts from '../../src/store/ad-attempts.ts'
import * as adCounts from '../../src/store/ad-counts.ts'
import * as adKeys from '../../src/store/ad-keys.ts'
import * as adProgress from '../../src/store/ad-progress.ts'
import * as adUsedTokens from '../../src/store/ad-used-tokens.ts'
import * as adVisitors from '../../src/store/ad-visitors.ts'
import type { ExercisesOf } from './exercises.ts'
import * as rows from './rows.ts'

const { AT, adSystem, user } = rows
const OTHER_WAY = { ...rows.adProgress, id: 'way_2', started_at: AT + 5, issued_at: AT + 6 }

export const ofAdVisitors: ExercisesOf<typeof adVisitors> = {
  findAdVisitor: async (tx) => [
    await adVisitors.findAdVisitor(tx, rows.adVisitor.id_hash),
    await adVisitors.findAdVisitor(tx, 'none'),
  ],
  insertAdVisitor: async (tx) => {
    const later = { ...rows.adVisitor, last_seen: AT + 9, network: '198.51.100.0/24', first_seen: AT + 9 }
    return [
      await adVisitors.insertAdVisitor(tx, later),
      await adVisitors.insertAdVisitor(tx, { ...later, id_hash: 'cd' }),
    ]
  },
  updateAdVisitor: (tx) => adVisitors.updateAdVisitor(tx, rows.adVisitor.id_hash, { risk: 3, failures: 2 }),
  lockAdVisitor: (tx) => adVisitors.lockAdVisitor(tx, rows.adVisitor.id_hash),
  deleteOldAdVisitors: async (tx) => [
    await adVisitors.deleteOldAdVisitors(tx, AT, 10),
    await adVisitors.deleteOldAdVisitors(tx, AT + 1, 10),
  ],
}

export const ofAdProgress: ExercisesOf<typeof adProgress> = {
  findLatestAdProgress: async (tx) => {
    await adProgress.insertAdProgress(tx, OTHER_WAY)
    return adProgress.findLatestAdProgress(tx, rows.adVisitor.id_hash, adSystem.id)
  },
  findAdProgress: (tx) => adProgress.findAdProgress(tx, rows.adProgress.id),
  insertAdProgress: (tx) => adProgress.insertAdProgress(tx, { ...OTHER_WAY, device: 'gethwid:ab' }),
  updateAdProgress: (tx) => adProgress.updateAdProgress(tx, rows.adProgress.id, { pos: 1, state: 'ready' }),
  lockAdProgress: (tx) => adProgress.lockAdProgress(tx, rows.adProgress.id),
  countNetworkAdProgress: async (tx) => {
    await adProgress.insertAdProgress(tx, OTHER_WAY)
    const count = (startedSince: number, issuedSince: number) =>
      adProgress.countNetworkAdProgress(tx, rows.adVisitor.network, { startedSince, issuedSince })
    return [await count(AT - 1, AT), await count(AT, AT + 6), await count(AT + 5, AT)]
  },
  countOwnAdIssues: async (tx) => {
    await adProgress.insertAdProgress(tx, OTHER_WAY)
    await adProgress.insertAdProgress(tx, { ...OTHER_WAY, id: 'way_3', issued_at: AT + 8 })
    const count = (since: number) => adProgress.countOwnAdIssues(tx, rows.adVisitor.id_hash, since)
    return [await count(AT), await count(AT + 6), await count(AT + 8)]
  },
  deleteOldAdProgress: async (tx) => [
    await adProgress.deleteOldAdProgress(tx, rows.adProgress.expires_at, 10),
    await adProgress.deleteOldAdProgress(tx, rows.adProgress.expires_at + 1, 10),
  ],
}

export const ofAdAttempts: ExercisesOf<typeof adAttempts> = {
  findLatestAdAttempt: async (tx) => {
    await adAttempts.insertAdAttempt(tx, { ...rows.adAttempt, click_id: 'click_2' })
    return (await adAttempts.findLatestAdAttempt(tx, rows.adProgress.id))?.click_id
  },
  findAdAttemptByClick: async (tx) => {
    const { checkpoint_id, click_id } = rows.adAttempt
    const found = await adAttempts.findAdAttemptByClick(tx, checkpoint_id, click_id)
    return [found?.address, await adAttempts.findAdAttemptByClick(tx, 'chk_2', click_id)]
  },
  insertAdAttempt: async (tx) =>
    (await adAttempts.insertAdAttempt(tx, { ...rows.adAttempt, click_id: 'click_2' })).state,
  updateAdAttempt: async (tx) => {
    const row = await adAttempts.findLatestAdAttempt(tx, rows.adProgress.id)
    return (await adAttempts.updateAdAttempt(tx, row?.seq ?? 0, { state: 'waiting', postback_at: AT }))?.state
  },
  updateStaleAdAttempts: (tx) => adAttempts.updateStaleAdAttempts(tx, rows.adCheckpoint.id),
}

export const ofAdUsedTokens: ExercisesOf<typeof adUsedTokens> = {
  insertAdUsedToken: async (tx) => [
    await adUsedTokens.insertAdUsedToken(tx, rows.adUsedToken),
    await adUsedTokens.insertAdUsedToken(tx, { ...rows.adUsedToken, hash: 'ef' }),
  ],
  deleteAdUsedToken: (tx) => adUsedTokens.deleteAdUsedToken(tx, rows.adUsedToken.hash),
  deleteOldAdUsedTokens: async (tx) => [
    await adUsedTokens.deleteOldAdUsedTokens(tx, AT, 10),
    await adUsedTokens.deleteOldAdUsedTokens(tx, AT + 1, 10),
  ],
}

const BOUND = { device: 'gethwid:ab' } as const

export const ofAdKeys: ExercisesOf<typeof adKeys> = {
  listVisitorAdKeys: (tx) => adKeys.listVisitorAdKeys(tx, rows.adVisitor.id_hash, adSystem.id),
  listDeviceAdKeys: async (tx) => {
    const before = await adKeys.listDeviceAdKeys(tx, BOUND.device, adSystem.id)
    await adKeys.updateAdKey(tx, user.key, BOUND)
    return [before, await adKeys.listDeviceAdKeys(tx, BOUND.device, adSystem.id)]
  },
  listNetworkAdKeys: async (tx) => {
    const list = () => adKeys.listNetworkAdKeys(tx, rows.adKey, adSystem.id)
    const before = await list()
    await adKeys.updateAdKey(tx, user.key, BOUND)
    return [before, await list()]
  },
  findAdKeyLock: async (tx) => {
    const before = await adKeys.findAdKeyLock(tx, user.key)
    await adKeys.updateAdKey(tx, user.key, { locked_network: rows.adKey.network, locked_until: AT + 1 })
    return [before, await adKeys.findAdKeyLock(tx, user.key)]
  },
  insertAdKey: async (tx) => {
    const key = `${user.key}2`
    await tx
      .insertInto('users')
      .values({ ...user, key, chat_id: null })
      .execute()
    await adKeys.insertAdKey(tx, { ...rows.adKey, user_key: key, ...BOUND })
  },
  updateAdKey: (tx) => adKeys.updateAdKey(tx, user.key, { locked_network: null, locked_until: AT }),
  updateExtendedAdKey: (tx) => adKeys.updateExtendedAdKey(tx, user.key),
}

export const ofAdCounts: ExercisesOf<typeof adCounts> = {
  insertAdCount: async (tx) => {
    await adCounts.insertAdCount(tx, rows.adCount)
    await adCounts.insertAdCount(tx, { ...rows.adCount, kind: 'duration', value: '7' })
  },
  listAdCounts: async (tx) => {
    await adCounts.insertAdCount(tx, { ...rows.adCount, value: 'wrong_step' })
    return adCounts.listAdCounts(tx, adSystem.id)
  },
  updateStartedAdCheckpoint: (tx) => adCounts.updateStartedAdCheckpoint(tx, rows.adCheckpoint.id),
  updateCompletedAdCheckpoint: (tx) => adCounts.updateCompletedAdCheckpoint(tx, rows.adCheckpoint.id),
  updateFinishedAdSystem: async (tx) => {
    await adCounts.updateFinishedAdSystem(tx, adSystem.id, 1)
    await adCounts.updateFinishedAdSystem(tx, adSystem.id, 0)
  },
}
