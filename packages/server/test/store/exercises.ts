/**
 * One use of every store function. A new function needs a line under its file here, a new file of store functions a
 * table of its own; the compiler and `every-statement.test.ts` both say so when it is missing. An exercise runs in a
 * transaction on a database with one row in every table (`rows.ts`), may prepare what it needs with the functions of
 * other tables, and answers what the function answered; it is undone afterwards.
 */

import * as adCheckpoints from '../../src/store/ad-checkpoints.ts'
import * as adSlots from '../../src/store/ad-slots.ts'
import * as adSystems from '../../src/store/ad-systems.ts'
import * as customers from '../../src/store/customers.ts'
import type { Queries } from '../../src/store/db.ts'
import * as executions from '../../src/store/executions.ts'
import * as ffaDevices from '../../src/store/ffa-devices.ts'
import * as idempotencyKeys from '../../src/store/idempotency-keys.ts'
import * as reservations from '../../src/store/obfuscation-reservations.ts'
import * as projects from '../../src/store/projects.ts'
import * as scriptVersions from '../../src/store/script-versions.ts'
import * as scripts from '../../src/store/scripts.ts'
import * as subjects from '../../src/store/subjects.ts'
import * as tiers from '../../src/store/tiers.ts'
import * as totals from '../../src/store/totals.ts'
import * as userFingerprints from '../../src/store/user-fingerprints.ts'
import * as users from '../../src/store/users.ts'
import * as waitingApiKeys from '../../src/store/waiting-api-keys.ts'
import { ofChatMembers, ofDenials } from './denial-exercises.ts'
import { ofExecutionMarks, ofInstances, ofLiveInstances } from './instance-exercises.ts'
import * as rows from './rows.ts'
import { ofUserBulk, ofUserFilter } from './user-exercises.ts'
import {
  ofAdAttempts,
  ofAdCounts,
  ofAdKeys,
  ofAdProgress,
  ofAdUsedTokens,
  ofAdVisitors,
} from './visitor-exercises.ts'
import { ofOutbox, ofWebhookDeliveries, ofWebhooks } from './webhook-exercises.ts'

/** The first rows of a list. */
export const PART = { after: undefined, from: 0, limit: 10 }

const { AT, adCheckpoint, adSlot, adSystem, customer, project, script, tier, user } = rows
const DAYS = { first: rows.dailyExecution.day - 1, last: rows.dailyExecution.day }

export type Exercise = (tx: Queries) => Promise<unknown>
export type ExercisesOf<Module> = {
  [Name in keyof Module as Module[Name] extends (...values: never[]) => unknown ? Name : never]: Exercise
}

const ofAdCheckpoints: ExercisesOf<typeof adCheckpoints> = {
  listAdCheckpoints: async (tx) => {
    await adCheckpoints.insertAdCheckpoint(tx, secondCheckpoint)
    return adCheckpoints.listAdCheckpoints(tx, adSystem.id, PART)
  },
  findAdCheckpointByCallback: (tx) => adCheckpoints.findAdCheckpointByCallback(tx, adCheckpoint.callback_id),
  findAdCheckpointByPostback: (tx) => adCheckpoints.findAdCheckpointByPostback(tx, adCheckpoint.postback_id),
  countAdCheckpoints: (tx) => adCheckpoints.countAdCheckpoints(tx, adSystem.id),
  countCustomerAdCheckpoints: (tx) => adCheckpoints.countCustomerAdCheckpoints(tx, customer.id),
  lockAdCheckpoint: (tx) => adCheckpoints.lockAdCheckpoint(tx, adSystem.id, adCheckpoint.id),
  insertAdCheckpoint: (tx) => adCheckpoints.insertAdCheckpoint(tx, secondCheckpoint),
  updateAdCheckpoint: (tx) =>
    adCheckpoints.updateAdCheckpoint(tx, adSystem.id, adCheckpoint.id, { name: 'Other' }),
  updateAdCheckpointOrder: async (tx) => {
    await adCheckpoints.insertAdCheckpoint(tx, secondCheckpoint)
    await adCheckpoints.updateAdCheckpointOrder(tx, adSystem.id, { id: adCheckpoint.id, from: 0, to: 1 })
  },
  deleteAdCheckpoint: async (tx) => {
    await adCheckpoints.insertAdCheckpoint(tx, secondCheckpoint)
    return adCheckpoints.deleteAdCheckpoint(tx, adSystem.id, adCheckpoint.id)
  },
}
const secondCheckpoint = {
  ...adCheckpoint,
  id: 'chk_2',
  index: 1,
  callback_id: 'callback_2',
  postback_id: 'postback_2',
}

const ofAdSlots: ExercisesOf<typeof adSlots> = {
  findAdSlot: async (tx) => {
    const over = await adSlots.findAdSlot(tx, adSystem.id, adSlot.expires_at)
    return { over, live: await adSlots.findAdSlot(tx, adSystem.id, adSlot.expires_at - 1) }
  },
  insertAdSlot: (tx) => adSlots.insertAdSlot(tx, { ...adSlot, checkpoint_id: 'chk_3' }),
  deleteAdSlot: (tx) => adSlots.deleteAdSlot(tx, adSystem.id),
}

const ofAdSystems: ExercisesOf<typeof adSystems> = {
  findAdSystem: (tx) => adSystems.findAdSystem(tx, customer.id, adSystem.id),
  findVisitedAdSystem: async (tx) => [
    await adSystems.findVisitedAdSystem(tx, adSystem.id),
    await adSystems.findVisitedAdSystem(tx, 'FREE-keys'),
    await adSystems.findVisitedAdSystem(tx, 'none'),
  ],
  findEarningAdSystem: async (tx) => [
    await adSystems.findEarningAdSystem(tx, project.id),
    await adSystems.findEarningAdSystem(tx, 'none'),
  ],
  listAdSystems: (tx) => adSystems.listAdSystems(tx, customer.id, PART),
  countAdSystems: (tx) => adSystems.countAdSystems(tx, customer.id),
  lockAdSystem: (tx) => adSystems.lockAdSystem(tx, project.id, adSystem.id),
  insertAdSystem: (tx) => adSystems.insertAdSystem(tx, { ...adSystem, id: 'sys_2', url: null }),
  updateAdSystem: (tx) => adSystems.updateAdSystem(tx, project.id, adSystem.id, { url: 'other' }),
  deleteAdSystem: (tx) => adSystems.deleteAdSystem(tx, project.id, adSystem.id),
}

const ofCustomers: ExercisesOf<typeof customers> = {
  findCustomer: (tx) => customers.findCustomer(tx, customer.id),
  deleteCustomer: async (tx) => {
    await projects.deleteProjects(tx, customer.id)
    return [await customers.deleteCustomer(tx, customer.id), await customers.deleteCustomer(tx, customer.id)]
  },
  findCustomerByApiKeyHash: (tx) => customers.findCustomerByApiKeyHash(tx, customer.api_key_hash),
  findCustomerByEmail: (tx) => customers.findCustomerByEmail(tx, customer.email),
  lockCustomer: (tx) => customers.lockCustomer(tx, customer.id),
  listCustomers: (tx) => customers.listCustomers(tx, PART),
  countCustomers: (tx) => customers.countCustomers(tx),
  insertCustomer: (tx) =>
    customers.insertCustomer(tx, { ...customer, id: 'cus_2', api_key_hash: 'bb', email: 'b@example.com' }),
  updateApiKey: (tx) =>
    customers.updateApiKey(tx, customer.api_key_hash, { api_key_hash: 'cc', api_key_start: 'sw_c' }),
  updateEndedCustomerBlacklists: async (tx) => {
    await customers.updateCustomer(tx, customer.id, { blacklisted: 1, blacklist_expires: AT })
    const early = await customers.updateEndedCustomerBlacklists(tx, AT - 1)
    return { early, ended: await customers.updateEndedCustomerBlacklists(tx, AT) }
  },
  updateCustomer: (tx) => customers.updateCustomer(tx, customer.id, { chat_id: '1', blacklisted: 1 }),
}

const ofExecutions: ExercisesOf<typeof executions> = {
  findRunnable: (tx) => executions.findRunnable(tx, script.id),
  claimScript: (tx) => executions.claimScript(tx, script.id),
  insertExecution: async (tx) => {
    const { count: _, ...known } = rows.dailyExecution
    await executions.insertExecution(tx, known)
    await executions.insertExecution(tx, { ...known, executor: 'luajit' })
  },
  listScriptDays: (tx) => executions.listScriptDays(tx, customer.id, [script.id, 'none'], DAYS),
  listExecutorCounts: (tx) => executions.listExecutorCounts(tx, customer.id, [script.id], DAYS),
  deleteOldExecutions: (tx) => executions.deleteOldExecutions(tx, rows.dailyExecution.day + 1, 5),
}

const ofWaitingApiKeys: ExercisesOf<typeof waitingApiKeys> = {
  insertWaitingApiKey: async (tx) => {
    await waitingApiKeys.claimDueMail(tx, AT)
    await waitingApiKeys.insertWaitingApiKey(tx, {
      ...rows.waitingApiKey,
      api_key_hash: 'bb',
      mail_at: AT + 1,
    })
  },
  claimDueMail: async (tx) => {
    const claimed = [await waitingApiKeys.claimDueMail(tx, AT - 1), await waitingApiKeys.claimDueMail(tx, AT)]
    return [
      ...claimed,
      await waitingApiKeys.claimDueMail(tx, AT + 59_999),
      await waitingApiKeys.claimDueMail(tx, AT + 60_000),
    ]
  },
  deleteWaitingApiKey: async (tx) => [
    await waitingApiKeys.deleteWaitingApiKey(tx, customer.id, 'other'),
    await waitingApiKeys.deleteWaitingApiKey(tx, customer.id, customer.api_key_hash),
    await waitingApiKeys.deleteWaitingApiKey(tx, customer.id),
  ],
  deleteOldWaitingApiKeys: (tx) => waitingApiKeys.deleteOldWaitingApiKeys(tx, AT + 1),
}

const ofObfuscationReservations: ExercisesOf<typeof reservations> = {
  insertObfuscationReservation: (tx) =>
    reservations.insertObfuscationReservation(tx, { ...rows.obfuscationReservation, id: 'another' }),
  deleteObfuscationReservation: async (tx) => {
    const remove = (owner: string) =>
      reservations.deleteObfuscationReservation(tx, owner, rows.obfuscationReservation.id)
    return [await remove('other'), await remove(customer.id), await remove(customer.id)]
  },
  listOldObfuscationReservations: async (tx) => [
    await reservations.listOldObfuscationReservations(tx, AT, 5),
    await reservations.listOldObfuscationReservations(tx, AT + 1, 5),
  ],
}

const ofFfaDevices: ExercisesOf<typeof ffaDevices> = {
  findFfaDevice: (tx) => ffaDevices.findFfaDevice(tx, project.id, rows.ffaDevice.device),
  countFfaDevices: (tx) => ffaDevices.countFfaDevices(tx, customer.id),
  insertFfaDevice: async (tx) => {
    await ffaDevices.insertFfaDevice(tx, { ...rows.ffaDevice, first_seen: AT + 1 })
    await ffaDevices.insertFfaDevice(tx, { ...rows.ffaDevice, device: 'other' })
  },
}

const ofIdempotencyKeys: ExercisesOf<typeof idempotencyKeys> = {
  findIdempotencyKey: (tx) => idempotencyKeys.findIdempotencyKey(tx, customer.id, 'try-1'),
  insertIdempotencyKey: async (tx) => {
    const insert = (key: string) =>
      idempotencyKeys.insertIdempotencyKey(tx, { ...rows.idempotencyKey, key, claim: 'claim_2' })
    return [await insert('try-1'), await insert('try-2')]
  },
  updateIdempotencyKey: async (tx) => {
    const answer = { status: 200, content_type: 'text/plain', body: Buffer.from([0, 200]) }
    await idempotencyKeys.updateIdempotencyKey(tx, customer.id, 'try-1', answer)
  },
  deleteIdempotencyKey: async (tx) => {
    await idempotencyKeys.deleteIdempotencyKey(tx, customer.id, 'try-1', 'claim_2')
    const kept = await idempotencyKeys.findIdempotencyKey(tx, customer.id, 'try-1')
    await idempotencyKeys.deleteIdempotencyKey(tx, customer.id, 'try-1', 'claim_1')
    return kept
  },
  deleteOldIdempotencyKeys: async (tx) => {
    await idempotencyKeys.insertIdempotencyKey(tx, { ...rows.idempotencyKey, key: 'try-2' })
    const early = await idempotencyKeys.deleteOldIdempotencyKeys(tx, AT, 10)
    return [early, await idempotencyKeys.deleteOldIdempotencyKeys(tx, AT + 1, 1)]
  },
}

const ofProjects: ExercisesOf<typeof projects> = {
  listProjects: (tx) => projects.listProjects(tx, customer.id, PART),
  findCheckable: (tx) => projects.findCheckable(tx, project.id),
  countProjects: (tx) => projects.countProjects(tx, customer.id),
  lockProject: (tx) => projects.lockProject(tx, customer.id, project.id),
  changeUserCount: (tx) => projects.changeUserCount(tx, customer.id, project.id, { users: 3, fromAds: 1 }),
  countCustomerUsers: async (tx) => {
    await projects.insertProject(tx, { ...project, id: 'prj_2', total_users: 4, ad_users: 3 })
    return [await projects.countCustomerUsers(tx, customer.id), await projects.countCustomerUsers(tx, 'none')]
  },
  insertProject: (tx) => projects.insertProject(tx, { ...project, id: 'prj_2' }),
  updateProject: (tx) => projects.updateProject(tx, customer.id, project.id, { name: 'Orchard' }),
  listProjectsWithExpiredUsers: async (tx) => {
    await users.updateUser(tx, project.id, user.key, { key_expires: AT })
    const unwanted = await projects.listProjectsWithExpiredUsers(tx, AT, 10)
    await projects.updateProject(tx, customer.id, project.id, { delete_expired_users: 1 })
    const early = await projects.listProjectsWithExpiredUsers(tx, AT - 1, 10)
    return [unwanted, early, await projects.listProjectsWithExpiredUsers(tx, AT, 10)]
  },
  deleteProject: (tx) => projects.deleteProject(tx, customer.id, project.id),
  deleteProjects: (tx) => projects.deleteProjects(tx, customer.id),
}

const ofScriptVersions: ExercisesOf<typeof scriptVersions> = {
  insertScriptVersion: (tx) => scriptVersions.insertScriptVersion(tx, { ...rows.scriptVersion, version: 2 }),
  findScriptVersion: (tx) => scriptVersions.findScriptVersion(tx, script.id, 1),
  findNewestVersion: (tx) => scriptVersions.findNewestVersion(tx, script.id),
  findPayload: (tx) => scriptVersions.findPayload(tx, script.id, 1),
  findTestScript: async (tx) => {
    const tested = { ...rows.scriptVersion, version: 2, test_script: Buffer.from([7, 0, 129]) }
    await scriptVersions.insertScriptVersion(tx, tested)
    const one = await scriptVersions.findTestScript(tx, script.id, 1)
    return [one, await scriptVersions.findTestScript(tx, script.id, 2)]
  },
  listMarkedVersions: async (tx) => {
    const marked = { ...rows.scriptVersion, slots: '[[0,"abc"]]' }
    for (const version of [2, 3, 4]) await scriptVersions.insertScriptVersion(tx, { ...marked, version })
    return scriptVersions.listMarkedVersions(tx, script.id, 2)
  },
  listScriptVersions: (tx) => scriptVersions.listScriptVersions(tx, script.id, PART),
  countScriptVersions: (tx) => scriptVersions.countScriptVersions(tx, script.id),
  findVersionReport: (tx) => scriptVersions.findVersionReport(tx, script.id, 1),
}

const ofScripts: ExercisesOf<typeof scripts> = {
  listScripts: (tx) => scripts.listScripts(tx, project.id, PART),
  listScriptNames: async (tx) => [
    ...(await scripts.listScriptNames(tx, customer.id)),
    ...(await scripts.listScriptNames(tx, customer.id, project.id)),
    ...(await scripts.listScriptNames(tx, customer.id, 'none')),
  ],
  countScripts: (tx) => scripts.countScripts(tx, project.id),
  countCustomerScripts: (tx) => scripts.countCustomerScripts(tx, customer.id),
  insertScript: (tx) => scripts.insertScript(tx, { ...script, id: 'scr_2' }),
  updateScript: (tx) => scripts.updateScript(tx, project.id, script.id, { enabled: 0, version: 2 }),
  deleteScript: (tx) => scripts.deleteScript(tx, project.id, script.id),
}

const ofSubjects: ExercisesOf<typeof subjects> = {
  findProjectSubject: (tx) => subjects.findProjectSubject(tx, customer.api_key_hash, project.id),
  findScriptSubject: (tx) => subjects.findScriptSubject(tx, customer.api_key_hash, script.id),
  findKeySubject: (tx) => subjects.findKeySubject(tx, user.key),
  findAnyUser: async (tx) => subjects.findAnyUser(tx, user.key),
  findAdSystemSubject: (tx) => subjects.findAdSystemSubject(tx, customer.api_key_hash, adSystem.id),
  findAdCheckpointSubject: (tx) =>
    subjects.findAdCheckpointSubject(tx, customer.api_key_hash, adCheckpoint.id),
}

const ofTiers: ExercisesOf<typeof tiers> = {
  findTier: (tx) => tiers.findTier(tx, tier.id),
  listTiers: (tx) => tiers.listTiers(tx),
  deleteTier: async (tx) => {
    await tiers.insertTier(tx, { ...tier, id: 2 })
    return [await tiers.deleteTier(tx, 2), await tiers.deleteTier(tx, 2)]
  },
  insertTier: (tx) => tiers.insertTier(tx, { ...tier, price: 0.1 }),
  insertFirstTiers: (tx) =>
    tiers.insertFirstTiers(tx, [
      { ...tier, price: 0 },
      { ...tier, id: 2 },
    ]),
}

const ofTotals: ExercisesOf<typeof totals> = {
  countInstances: async (tx) => [
    ...(await totals.countInstances(tx, customer.id, AT)),
    ...(await totals.countInstances(tx, customer.id, AT, project.id)),
  ],
  countUsersByState: (tx) => totals.countUsersByState(tx, customer.id, AT),
  countFfaDevices: (tx) => totals.countFfaDevices(tx, customer.id),
}

const ofUserFingerprints: ExercisesOf<typeof userFingerprints> = {
  deleteProjectFingerprints: (tx) => userFingerprints.deleteProjectFingerprints(tx, project.id),
  deleteUserFingerprint: (tx) => userFingerprints.deleteUserFingerprint(tx, project.id, user.key),
  listUserFingerprints: (tx) => userFingerprints.listUserFingerprints(tx, user.key),
  insertUserFingerprints: (tx) =>
    userFingerprints.insertUserFingerprints(tx, [{ ...rows.userFingerprint, component: 'disk' }]),
  listBlacklistedDevices: async (tx) => {
    await users.updateUser(tx, project.id, user.key, { blacklisted: 1, blacklist_expires: AT })
    const device = { project_id: project.id, device: rows.userFingerprint.hash }
    return [
      await userFingerprints.listBlacklistedDevices(tx, []),
      await userFingerprints.listBlacklistedDevices(tx, [device, { ...device, device: 'none' }]),
    ]
  },
  listBlacklistedByFingerprint: async (tx) => {
    await users.updateUser(tx, project.id, user.key, { blacklisted: 1, blacklist_reason: 'shared' })
    const listed = (hashes: string[]) => userFingerprints.listBlacklistedByFingerprint(tx, project.id, hashes)
    return [...(await listed([rows.userFingerprint.hash, 'none'])), ...(await listed([]))]
  },
}

const ofUsers: ExercisesOf<typeof users> = {
  findUserByChat: (tx) => users.findUserByChat(tx, project.id, user.chat_id),
  lockUser: (tx) => users.lockUser(tx, project.id, user.key),
  listUsersAfter: (tx) => users.listUsersAfter(tx, project.id, { after: 0, limit: 10 }),
  findUserSeqAt: (tx) => users.findUserSeqAt(tx, project.id, 0),
  insertUser: (tx) => users.insertUser(tx, { ...user, key: 'second', chat_id: null }),
  updateUser: (tx) => users.updateUser(tx, project.id, user.key, { note: 'é', key_expires: AT }),
  deleteUser: (tx) => users.deleteUser(tx, project.id, user.key),
  findRunningUser: (tx) => users.findRunningUser(tx, project.id, user.key),
  updateUserExecution: (tx) => {
    const bound = { fingerprint_assigned: 1, fingerprint_display: '{}' } as const
    return users.updateUserExecution(tx, { key: user.key, executor: 'luajit', ...bound })
  },
  updateEndedBlacklists: async (tx) => {
    await users.updateUser(tx, project.id, user.key, { blacklisted: 1, blacklist_expires: AT })
    const early = await users.updateEndedBlacklists(tx, AT - 1, 10)
    return { early, ended: await users.updateEndedBlacklists(tx, AT, 10) }
  },
  deleteExpiredUsers: async (tx) => {
    await users.updateUser(tx, project.id, user.key, { key_expires: AT })
    const unwanted = await users.deleteExpiredUsers(tx, project.id, AT, 10)
    await projects.updateProject(tx, customer.id, project.id, { delete_expired_users: 1 })
    const early = await users.deleteExpiredUsers(tx, project.id, AT - 1, 10)
    return { unwanted, early, deleted: await users.deleteExpiredUsers(tx, project.id, AT, 10) }
  },
  updateEndedBlacklist: async (tx) => {
    await users.updateUser(tx, project.id, user.key, { blacklisted: 1, blacklist_expires: AT })
    const early = await users.updateEndedBlacklist(tx, user.key, AT - 1)
    return { early, ended: await users.updateEndedBlacklist(tx, user.key, AT) }
  },
}

/** By the name of the file under `src/store`. */
export const exercises: Readonly<Record<string, Readonly<Record<string, Exercise>>>> = {
  'ad-attempts': ofAdAttempts,
  'ad-checkpoints': ofAdCheckpoints,
  'ad-counts': ofAdCounts,
  'ad-keys': ofAdKeys,
  'ad-progress': ofAdProgress,
  'ad-slots': ofAdSlots,
  'ad-systems': ofAdSystems,
  'ad-used-tokens': ofAdUsedTokens,
  'ad-visitors': ofAdVisitors,
  customers: ofCustomers,
  'chat-members': ofChatMembers,
  denials: ofDenials,
  executions: ofExecutions,
  'ffa-devices': ofFfaDevices,
  'idempotency-keys': ofIdempotencyKeys,
  'execution-marks': ofExecutionMarks,
  instances: ofInstances,
  'live-instances': ofLiveInstances,
  outbox: ofOutbox,
  projects: ofProjects,
  'script-versions': ofScriptVersions,
  scripts: ofScripts,
  subjects: ofSubjects,
  tiers: ofTiers,
  totals: ofTotals,
  'user-bulk': ofUserBulk,
  'user-filter': ofUserFilter,
  'webhook-deliveries': ofWebhookDeliveries,
  webhooks: ofWebhooks,
  'user-fingerprints': ofUserFingerprints,
  users: ofUsers,
  'waiting-api-keys': ofWaitingApiKeys,
  'obfuscation-reservations': ofObfuscationReservations,
}
