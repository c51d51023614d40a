/** Receives postbacks, which providers send to confirm that the visitor behind a click has seen their ads. */

import { createHmac } from 'node:crypto'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { countRefusal } from '../counts.ts'
import { openProviderData, providerOf } from '../providers.ts'
import { type AdAttemptRow, findAdAttemptByClick, findLatestAdAttempt } from '../store/ad-attempts.ts'
import {
  type AdCheckpointRow,
  findAdCheckpointByPostback,
  findFellowAdCheckpoint,
} from '../store/ad-checkpoints.ts'
import { updateAdProgress } from '../store/ad-progress.ts'
import { insertAdUsedToken } from '../store/ad-used-tokens.ts'
import { isSameText, usedToken } from '../tokens.ts'
import { passStep } from './complete-step.ts'
import { fitsAddress } from './visitors.ts'

type Members = Readonly<Record<string, string>>

/** Unknown and known clicks get the same response, so that click IDs cannot be probed. */
export type PostbackAnswer = 'ok' | 'duplicate' | 'malformed' | 'unsigned' | 'not_found'

const CLICK_FORM = /^[A-Za-z0-9_-]{8,64}$/
const MAX_ID_LENGTH = 128
const SIGNATURE_LIFE_S = 300

export async function receivePostback(
  deps: Deps,
  postbackId: string,
  members: Members,
): Promise<PostbackAnswer> {
  const checkpoint = await findAdCheckpointByPostback(deps.db.read, postbackId)
  if (!checkpoint) return 'not_found'
  const data = openProviderData(deps, checkpoint)
  if (!providerOf(checkpoint).needsPostback(data)) return 'not_found'
  const { click_id = '', unique_id = '' } = members
  if (!CLICK_FORM.test(click_id) || unique_id === '' || unique_id.length > MAX_ID_LENGTH) return 'malformed'
  const secret = data.postback_secret
  if (typeof secret === 'string' && !isSigned(secret, members, deps.now())) return 'unsigned'
  return deps.db.transaction((tx) => accept(deps, tx, checkpoint, members))
}

async function accept(
  deps: Deps,
  tx: Queries,
  checkpoint: AdCheckpointRow,
  { click_id = '', unique_id = '', ip }: Members,
): Promise<PostbackAnswer> {
  const hash = usedToken(`postback ${checkpoint.id}`, unique_id)
  if (!(await insertAdUsedToken(tx, { hash, used_at: deps.now() }))) return 'duplicate'
  const attempt = await findAdAttemptByClick(tx, click_id)
  const visited = attempt && (await visitedBy(deps, tx, checkpoint, attempt))
  if (!attempt || !visited || (await findLatestAdAttempt(tx, attempt.progress_id))?.seq !== attempt.seq)
    return 'ok'
  const { check_ip } = openProviderData(deps, visited)
  if (fitsAddress(check_ip, ip, attempt.address)) {
    await passStep(deps, tx, { attempt, checkpoint: visited, by: 'provider' })
    return 'ok'
  }
  await updateAdProgress(tx, attempt.progress_id, { notice: 'other_address' })
  await countRefusal(tx, visited.id, 'other_address', deps.now())
  return 'ok'
}

/**
 * An ad network may use one postback URL for all links of an account, so the visit may belong to another
 * checkpoint. That checkpoint must have the same owner and secrets. Otherwise, a single carelessly configured
 * checkpoint could confirm visits to all the others.
 */
async function visitedBy(
  deps: Deps,
  tx: Queries,
  checkpoint: AdCheckpointRow,
  { checkpoint_id }: AdAttemptRow,
): Promise<AdCheckpointRow | undefined> {
  if (checkpoint_id === checkpoint.id) return checkpoint
  const fellow = await findFellowAdCheckpoint(tx, checkpoint_id, checkpoint)
  if (fellow?.provider !== checkpoint.provider) return undefined
  const [own, other] = [openProviderData(deps, checkpoint), openProviderData(deps, fellow)]
  const isSame = SECRETS.every((name) => own[name] === other[name])
  return isSame ? fellow : undefined
}

const SECRETS = ['api_token', 'postback_secret', 'unsigned_postbacks'] as const

/** The signature covers the fields in alphabetical order. */
function isSigned(
  secret: string,
  { click_id = '', ip = '', ts = '', unique_id = '', sig = '' }: Members,
  now: number,
) {
  const text = `click_id=${click_id}&ip=${ip}&ts=${ts}&unique_id=${unique_id}`
  const expected = createHmac('sha256', secret).update(text).digest('hex')
  const isFresh = /^\d{1,15}$/.test(ts) && Math.abs(now / 1000 - secondsOf(Number(ts))) <= SIGNATURE_LIFE_S
  return isFresh && isSameText(sig.toLowerCase(), expected)
}

/** Providers send times either in seconds or in milliseconds. */
function secondsOf(time: number): number {
  return time > 100_000_000_000 ? time / 1000 : time
}
