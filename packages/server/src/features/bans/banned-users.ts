/**
 * Users affected by a project's bans, as far as can be known before their next run: through a device bound to
 * their key, through their Discord account, or through their last run's network if a ban covers all of it.
 */
import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { isActive } from '../key-validity/blacklist.ts'
import type { UserRow } from '../keys/store/users.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { chatName, meaningOf, namesOfStored } from './ban-names.ts'
import { lastsLonger } from './find-ban.ts'
import {
  countBans,
  listBanNames,
  listBansByName,
  listBansBySeq,
  listDeviceBans,
  listHitUsers,
  listLastNetworks,
} from './store/banned-users.ts'
import type { BanRow } from './store/bans.ts'

/** A ban, as shown in a user's details. */
export type UserBan = Pick<BanRow, 'id' | 'kind' | 'value' | 'reason' | 'expires'>

/** Sequence numbers of all users affected by a project's bans, ascending. */
export async function listBannedUsers({ db, now }: Deps, projectId: string): Promise<number[]> {
  if ((await countBans(db.read, projectId)) === 0) return []
  const hit = new Set<number>()
  for (let after: number | undefined = 0; after !== undefined; await setImmediate()) {
    const { names, last }: Awaited<ReturnType<typeof listBanNames>> = await listBanNames(db.read, projectId, {
      after,
      now: now(),
    })
    for (const seq of await listHitUsers(db.read, projectId, meaningOf(names))) hit.add(seq)
    after = last
  }
  return [...hit].sort((a, b) => a - b)
}

/** The longest-lasting ban of each user, by the user's sequence number. Users without a ban are omitted. */
export async function findUserBans(
  { db, now }: Deps,
  project: Pick<ProjectRow, 'bans'>,
  rows: readonly UserRow[],
): Promise<ReadonlyMap<number, UserBan>> {
  if (project.bans === 0) return new Map()
  const pairs = [...(await findByDevice({ db }, rows)), ...(await findByName({ db }, rows))]
  const bans = await listBansBySeq(db.read, [...new Set(pairs.map(({ ban }) => ban))])
  const active = new Map(bans.filter((ban) => isActive(ban, now())).map((ban) => [ban.seq, ban]))
  const found = new Map<number, BanRow>()
  for (const { user, ban: seq } of pairs) {
    const ban = active.get(seq)
    const known = found.get(user)
    if (ban && (known === undefined || lastsLonger(ban, known))) found.set(user, ban)
  }
  return found
}

type Pair = { readonly user: number; readonly ban: number }
type Reading = Pick<Deps, 'db'>

async function findByDevice({ db }: Reading, rows: readonly UserRow[]): Promise<Pair[]> {
  const seqs = new Map(rows.map((row) => [row.key, row.seq]))
  const found = await listDeviceBans(db.read, rows[0]?.project_id ?? '', [...seqs.keys()])
  return found.flatMap(({ user_key, ban }) => {
    const user = seqs.get(user_key)
    return user === undefined ? [] : [{ user, ban }]
  })
}

/** Finds bans of Discord accounts and networks. */
async function findByName({ db }: Reading, rows: readonly UserRow[]): Promise<Pair[]> {
  const networks = await listLastNetworks(db.read, rows)
  const named = [
    ...rows.flatMap(({ seq, chat_id }) => (chat_id === null ? [] : [{ user: seq, name: chatName(chat_id) }])),
    ...networks.flatMap(({ user_seq, network }) =>
      namesOfStored(network).map((name) => ({ user: user_seq, name })),
    ),
  ]
  const names = [...new Set(named.map(({ name }) => name))]
  const found = await listBansByName(db.read, rows[0]?.project_id ?? '', names)
  const bans = Map.groupBy(found, ({ name }) => name)
  return named.flatMap(({ user, name }) => (bans.get(name) ?? []).map(({ ban }) => ({ user, ban })))
}
