/**
 * Applies a bulk change to a project's users in such a way that it can be undone. Users are looked up outside
 * the transaction, a few hundred at a time, and checked again after they are locked.
 */
import { setImmediate } from 'node:timers/promises'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Effect } from '../key-validity/store/effect.ts'
import { countRemoved } from '../keys/count-removed.ts'
import { changeUserCount } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { updateKickedUsers } from '../sessions/store/instances.ts'
import { type AffectedUser, describeSample } from './affected-users.ts'
import { SLICE, transactionFor } from './customer-lock.ts'
import { type Change, type ChangeDraft, newChange, placeOf } from './record-change.ts'
import {
  listSamples,
  type PickedUser,
  type Place,
  pickUsers,
  trashChanges,
  trashUsers,
} from './store/trash.ts'

/** Sequence numbers of the users that a change may affect, ascending. */
export type Candidates = AsyncIterable<readonly number[]>

export type UserChange = ChangeDraft & {
  readonly effect: Effect
  /** Reads the effect again in each slice's transaction, for effects that can change after the request. */
  readonly effectNow?: (tx: Queries) => Promise<Effect | Refused<'not_found' | 'invalid_request'>>
  readonly candidates: () => Candidates
  /** Changes all users in a single transaction, for changes that must not be applied twice. */
  readonly isAtOnce?: boolean
  /** Called in the transaction of the last slice. */
  readonly finish?: (tx: Queries, state: State) => Promise<undefined | Refused<'not_found' | 'unavailable'>>
  /** Set by callers whose change covers more than just these users. */
  readonly record?: Change
  /** Called with the users that were changed. */
  readonly changed?: (users: readonly PickedUser[]) => void
}
export type Changed = {
  readonly count: number
  /** Null if no user was changed. */
  readonly change_id: string | null
}

type Slice = { readonly seqs: readonly number[]; readonly isLast: boolean }
/** The change's sequence number, once it exists, and the number of users changed so far. */
export type State = { readonly seq: number | undefined; readonly count: number }
type ChangeRefused = Refused<'not_found' | 'unavailable' | 'invalid_request'>

/** Requires the account's lock (see `withCustomerLock`). */
export async function changeUsers(
  deps: Deps,
  subject: ProjectSubject,
  change: UserChange,
): Promise<Changed | ChangeRefused> {
  const owned = { customerId: subject.customer.id, project: subject.project }
  const { record = newChange(deps, owned, change) } = change
  const changing = { deps, subject, change, record }
  const changed = await (change.isAtOnce ? changeAtOnce : changeInSlices)(changing)
  if (changed instanceof Refused) return changed
  return { count: changed.count, change_id: changed.seq === undefined ? null : record.id }
}

const NOBODY_YET: State = { seq: undefined, count: 0 }

async function changeInSlices(changing: Changing): Promise<State | ChangeRefused> {
  const { deps, change } = changing
  let state = NOBODY_YET
  for await (const slice of slicesOf(change.candidates())) {
    const before = state
    const after = await transactionFor(
      deps.db,
      slice.seqs.length,
    )((tx) => changeSlice(tx, changing, before, slice))
    if (after instanceof Refused) return after
    state = after
    await setImmediate()
  }
  return state
}

async function changeAtOnce(changing: Changing): Promise<State | ChangeRefused> {
  const { deps, change } = changing
  const slices: Slice[] = []
  for await (const slice of slicesOf(change.candidates())) slices.push(slice)
  const users = slices.reduce((sum, { seqs }) => sum + seqs.length, 0)
  return transactionFor(
    deps.db,
    users,
  )(async (tx) => {
    let state = NOBODY_YET
    for (const slice of slices) {
      const after = await changeSlice(tx, changing, state, slice)
      if (after instanceof Refused) return after
      state = after
    }
    return state
  })
}

export type Preview = { readonly count: number; readonly samples: AffectedUser[] }
const SAMPLES = 10

/** Computes the effect of a change, and returns some users as a sample. */
export async function previewUsers(
  deps: Deps,
  { project }: ProjectSubject,
  { effect, candidates, changed }: UserChange,
): Promise<Preview> {
  let count = 0
  const first: number[] = []
  for await (const seqs of candidates()) {
    const users = await pickUsers(deps.db.read, project.id, seqs, { where: effect.where, isLocked: false })
    changed?.(users)
    count += users.length
    first.push(...users.slice(0, SAMPLES - first.length).map(({ seq }) => seq))
    await setImmediate()
  }
  const samples = await listSamples(deps.db.read, first, effect)
  return { count, samples: samples.map(describeSample) }
}

type Changing = {
  readonly deps: Deps
  readonly subject: ProjectSubject
  readonly change: UserChange
  readonly record: Change
}

async function changeSlice(
  tx: Queries,
  changing: Changing,
  { seq, count }: State,
  { seqs, isLast }: Slice,
): Promise<State | ChangeRefused> {
  const { deps, subject, change, record } = changing
  const { id } = subject.project
  const effect = (await change.effectNow?.(tx)) ?? change.effect
  if (effect instanceof Refused) return effect
  const users = await pickUsers(tx, id, seqs, { where: effect.where })
  let now: State = { seq, count: count + users.length }
  const [first] = users
  if (first) {
    const place = await placeOf(tx, record, {
      seq,
      slice: first.seq,
      keys: users.map(({ key }) => key),
      now: deps.now(),
    })
    if (place === undefined) return refuse('unavailable')
    await applyEffect(tx, subject, place, { users, effect })
    now = { ...now, seq: place.change }
    change.changed?.(users)
  }
  deps.annotateAudit({ count: now.count })
  if (!isLast || change.finish === undefined) return now
  // If no user was changed, nothing has locked the project, so the project may have been removed.
  if (!(await changeUserCount(tx, subject.customer.id, id, { users: 0, fromAds: 0 })))
    return refuse('not_found')
  return (await change.finish(tx, now)) ?? now
}

async function applyEffect(
  tx: Queries,
  { customer, project }: ProjectSubject,
  place: Place,
  { users, effect }: { readonly users: readonly PickedUser[]; readonly effect: Effect },
): Promise<void> {
  if (effect.kick !== undefined)
    await updateKickedUsers(
      tx,
      project.id,
      users.map(({ key }) => key),
      effect.kick,
    )
  if (effect.removes !== true) return trashChanges(tx, place, users, effect)
  await trashUsers(tx, place, users)
  await changeUserCount(tx, customer.id, project.id, countRemoved(users))
}

/** Yields slices. Always yields a last slice, even if there are no users. */
async function* slicesOf(candidates: Candidates): AsyncGenerator<Slice> {
  let held: readonly number[] | undefined
  for await (const seqs of candidates)
    for (let start = 0; start < seqs.length; start += SLICE) {
      if (held) yield { seqs: held, isLast: false }
      held = seqs.slice(start, start + SLICE)
    }
  yield { seqs: held ?? [], isLast: true }
}
