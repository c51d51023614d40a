/** Starts a visitor's progress through the checkpoints of a system. */

import { newId } from '../../../api/ids.ts'
import { Refused, refuse } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { type CaptchaKind, type Proof, useProof } from '../../abuse/captcha.ts'
import type { Notice } from '../notices.ts'
import { findLatestAdProgress, insertAdProgress } from '../store/ad-progress.ts'
import { lockAdSystem } from '../store/ad-systems.ts'
import { type AdVisitorRow, insertAdVisitor } from '../store/ad-visitors.ts'
import { findBlock } from './blocks.ts'
import { captchaFor, refuseProof } from './captcha.ts'
import { type Earner, findProspect, listEarnings, type Prospect } from './earnings.ts'
import { isServed, listCheckpoints, phaseOf, type Situation, WAY_MS } from './progress.ts'
import { type Presence, visitorId } from './visitors.ts'

export type Start = {
  /** The device from the visitor's ticket. */
  readonly device: string | undefined
  readonly proof: Proof
}

type KnownVisitor = Presence & { readonly cookie: string }

/** Checks whether a visitor may start, and what they would earn. */
export async function lookAhead(
  deps: Deps,
  db: Queries,
  situation: Situation,
  device?: string,
): Promise<{ readonly block: Notice | undefined; readonly prospect: Prospect }> {
  const { system, now } = situation
  const earnings = await listEarnings(db, system, earnerOf(situation, device))
  const prospect = await findProspect(db, system, earnings, now)
  const block = prospect.kind === 'refused' ? noticeOf(prospect) : await findBlock(deps, db, situation)
  return { block, prospect }
}

/** Returns undefined if the visitor has progress, whether from this start or an earlier one. */
export async function startProgress(
  deps: Deps,
  situation: Situation,
  presence: KnownVisitor,
  start: Start,
): Promise<Notice | undefined> {
  if (situation.isElsewhere) return { reason: 'form_expired' }
  if (isInProgress(situation)) return undefined
  const { block } = await lookAhead(deps, deps.db.readPoint, situation, start.device)
  if (block) return block
  const captcha = captchaFor(deps, situation)
  const refused = captcha && (await refuseProof(deps, captcha, { ...situation, presence }, start.proof))
  if (refused) return refused
  const outcome = await deps.db.transaction((tx) => begin(deps, tx, { situation, presence, start, captcha }))
  return outcome instanceof Refused ? { reason: 'captcha_failed' } : outcome
}

/** The identity used to count a visitor's keys. */
function earnerOf({ presence, visitor }: Situation, device: string | undefined): Earner {
  const { network, browser, cookie } = presence
  const id = visitor?.id_hash ?? (cookie === undefined ? '' : visitorId(cookie))
  return { visitor: id, device: device ?? null, network, browser }
}

function isInProgress(situation: Situation): boolean {
  return ['walking', 'waiting', 'ready'].includes(phaseOf(situation))
}

type Beginning = {
  readonly situation: Situation
  readonly presence: KnownVisitor
  readonly start: Start
  readonly captcha: CaptchaKind | undefined
}

/** Repeats all checks inside the transaction, because a concurrent start may have changed their results. */
async function begin(
  deps: Deps,
  tx: Queries,
  { situation, presence, start, captcha }: Beginning,
): Promise<Notice | undefined | Refused<'forbidden'>> {
  const { system, now } = situation
  if (!(await lockAdSystem(tx, system.project_id, system.id))) return undefined
  const visitor = await seeVisitor(tx, situation, presence)
  const progress = (await findLatestAdProgress(tx, visitor.id_hash, system.id)) ?? undefined
  const checkpoints = await listCheckpoints(tx, system.id)
  const fresh = { ...situation, visitor, progress, checkpoints, attempt: undefined }
  if (isInProgress(fresh) || checkpoints.length === 0 || !isServed(system, now)) return undefined
  const { block } = await lookAhead(deps, tx, fresh, start.device)
  if (block) return block
  if (captcha && !(await useProof(tx, captcha, start.proof, now))) return refuse('forbidden')
  await insertAdProgress(tx, {
    id: newId('way', now, deps.random),
    system_id: system.id,
    visitor: visitor.id_hash,
    network: presence.network,
    device: start.device ?? null,
    plan: JSON.stringify(checkpoints.map(({ id }) => id)),
    state: 'walking',
    started_at: now,
    expires_at: now + WAY_MS,
  })
  return undefined
}

function seeVisitor(tx: Queries, { now }: Situation, presence: KnownVisitor): Promise<AdVisitorRow> {
  const { network, browser, cookie } = presence
  return insertAdVisitor(tx, {
    id_hash: visitorId(cookie),
    first_seen: now,
    last_seen: now,
    network,
    browser,
  })
}

function noticeOf({ reason, allowedAt }: Extract<Prospect, { kind: 'refused' }>): Notice {
  return allowedAt === undefined ? { reason } : { reason, allowedAt }
}
