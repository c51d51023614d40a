/** Uses of the statements that change or find many users; `exercises.ts` has those of everything else. */
import { sql } from 'kysely'
import type { Queries } from '../../src/store/db.ts'
import * as userBulk from '../../src/store/user-bulk.ts'
import * as userFilter from '../../src/store/user-filter.ts'
import { updateUser } from '../../src/store/users.ts'
import type { ExercisesOf } from './exercises.ts'
import * as rows from './rows.ts'

const { AT, project, user } = rows

const listed = {
  chat_id: null,
  key_expires: AT,
  note: 'a "quoted" note, ü',
  executor: null,
  blacklisted: 0,
  blacklist_reason: null,
  blacklist_expires: null,
  fingerprint_assigned: 0,
  fingerprint_display: null,
} as const
const plantMany = (tx: Queries) =>
  userBulk.insertUsers(tx, { projectId: project.id, createdAt: AT }, [
    { ...listed, key: 'bulk1', note: '50% of a_b\\c' },
    { ...listed, key: 'bulk2', chat_id: '12', executor: 'Wave', fingerprint_assigned: 1 },
    { ...listed, key: 'bulk3', blacklisted: 1, blacklist_reason: 'Shared', blacklist_expires: AT + 5 },
  ])

export const ofUserBulk: ExercisesOf<typeof userBulk> = {
  insertUsers: plantMany,
  insertListedFingerprints: (tx) =>
    userBulk.insertListedFingerprints(tx, [{ ...rows.userFingerprint, component: 'header', hash: 'aa' }]),
  listExportedUsers: async (tx) => {
    await plantMany(tx)
    return userBulk.listExportedUsers(tx, project.id, { after: 0, limit: 3 })
  },
  readExportedJson: async (tx) => {
    await plantMany(tx)
    const whose = { projectId: project.id, now: AT }
    const first = await userBulk.readExportedJson(tx, whose, { after: 0, limit: 2 })
    const second = await userBulk.readExportedJson(tx, whose, { after: first.last ?? 0, limit: 9 })
    return [first.text, second.text]
  },
  listTakenKeys: (tx) => userBulk.listTakenKeys(tx, [user.key, 'none']),
  listTakenChats: (tx) => userBulk.listTakenChats(tx, project.id, [user.chat_id, 'none']),
  updateAllUnbound: async (tx) => {
    await plantMany(tx)
    return userBulk.updateAllUnbound(tx, project.id, AT + 1)
  },
  updateExpiries: async (tx) => {
    await plantMany(tx)
    const by = { duration: 10, latest: AT + 15, now: AT }
    const first = await userBulk.updateExpiries(tx, project.id, { ...by, expired: false })
    return [first, await userBulk.updateExpiries(tx, project.id, { ...by, expired: true })]
  },
  deleteUnusedUsers: async (tx) => {
    await plantMany(tx)
    await updateUser(tx, project.id, 'bulk1', { ad_system_id: 'ads_1' })
    return userBulk.deleteUnusedUsers(tx, project.id)
  },
  deleteAllUsers: async (tx) => {
    await plantMany(tx)
    return userBulk.deleteAllUsers(tx, project.id)
  },
}

const matching = (filter: userFilter.UserFilter) => ({ projectId: project.id, filter, now: AT })
const FILTERS: readonly userFilter.UserFilter[] = [
  { key: user.key },
  { chat_id: '12' },
  { note: listed.note },
  { executor: 'Wave' },
  { fingerprint_assigned: true },
  { key_expires: false },
  { blacklisted: true },
  { blacklist_reason: 'Shared' },
  { blacklist_reason: true, blacklist_expires: true },
  { search: '% OF A_b\\' },
]

export const ofUserFilter: ExercisesOf<typeof userFilter> = {
  isBanned: async (tx) => {
    await plantMany(tx)
    const { rows } = await sql`select u.key from users as u where ${userFilter.isBanned(AT)}`.execute(tx)
    return rows
  },
  findScanEnd: async (tx) => {
    await plantMany(tx)
    const ends = FILTERS.map((filter) => userFilter.findScanEnd(tx, matching(filter), { after: 0, size: 1 }))
    return (await Promise.all(ends)).map((end) => end !== undefined)
  },
  listMatchingUsers: async (tx) => {
    await plantMany(tx)
    const all = { after: 0, size: 10, limit: 10 }
    return Promise.all(FILTERS.map((filter) => userFilter.listMatchingUsers(tx, matching(filter), all)))
  },
  isRareTerm: async (tx) => {
    await plantMany(tx)
    const asked = [['bulk', 2] as const, ['BULK', 3] as const, ['bu', 3] as const]
    return Promise.all(asked.map(([term, most]) => userFilter.isRareTerm(tx, term, most)))
  },
  listFoundUsers: async (tx) => {
    await plantMany(tx)
    const find = (search: string) =>
      userFilter.listFoundUsers(tx, matching({ search }), { after: 0, limit: 2 })
    return Promise.all(['BULK', '% of a_b\\', 'sharED', 'none'].map(find))
  },
}
