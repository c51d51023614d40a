/**
 * Caches projects' remote variables and announcements, by project and revision, along with the selection for
 * each script and plan, which is computed once. The cache is limited by size in bytes. Older revisions are
 * not returned.
 */
import { hash } from 'node:crypto'
import type { Announcement } from '@scriptward/client/messages'
import { remember } from '../platform/limits/remember.ts'

/**
 * A null list means no restriction. Guests and keys without a plan don't receive variables that are limited
 * to plans.
 */
export type Variable = {
  readonly name: string
  readonly value: unknown
  readonly scripts: readonly string[] | null
  readonly plans: readonly string[] | null
}
export type LimitedAnnouncement = {
  readonly announcement: Announcement
  readonly scripts: readonly string[] | null
  /** License keys that receive the announcement. Guests receive only announcements without this limit. */
  readonly keys: ReadonlySet<string> | null
}

/** The requester: a script (undefined for other software) and the plan of the key. */
export type Asker = { readonly scriptId: string | undefined; readonly planId: string | null }

/**
 * The variables for a requester. Equal digests mean equal selections. The digest is empty if there are no
 * variables.
 */
export type Selection = {
  readonly vars: Readonly<Record<string, unknown>>
  readonly digest: string
  readonly bytes: number
}

export const NOTHING: Selection = { vars: {}, digest: '', bytes: 0 }

/** Maximum number of cached requesters per content, and maximum number of distinct selections. */
const MAX_ASKERS = 1000
const MAX_SELECTIONS = 32
/** Memory overhead per variable in a selection. */
const BYTES_PER_ENTRY = 40
const MAX_BYTES = 32 * 1024 * 1024
const LEAST_BYTES = 1024
const DIGEST_LENGTH = 22

type Parts = {
  readonly revision: number
  readonly variables: readonly Variable[]
  /** Newest first. */
  readonly announcements: readonly LimitedAnnouncement[]
  /** Size of the variables and announcements as JSON. */
  readonly bytes: number
}

export class Content {
  readonly revision: number
  readonly weight: number
  readonly #variables: readonly Variable[]
  readonly #announcements: readonly LimitedAnnouncement[]
  readonly #isLimited: boolean
  readonly #askers = new Map<string, Selection>()
  readonly #selections = new Map<string, Selection>()

  constructor({ revision, variables, announcements, bytes }: Parts) {
    this.revision = revision
    this.#variables = variables
    this.#announcements = announcements
    this.#isLimited = variables.some(({ scripts, plans }) => scripts !== null || plans !== null)
    const selections = this.#isLimited ? MAX_SELECTIONS : 1
    this.weight = LEAST_BYTES + 3 * bytes + variables.length * selections * BYTES_PER_ENTRY
  }

  /** Excludes everything targeted at other scripts or plans. */
  select(asker: Asker): Selection {
    const key = this.#isLimited ? `${asker.scriptId} ${asker.planId}` : ''
    const known = this.#askers.get(key)
    if (known) return known
    const chosen = this.#variables.filter((one) => isFor(one, asker))
    const names = chosen.map(({ name }) => name).join(' ')
    const selection = this.#selections.get(names) ?? makeSelection(chosen)
    remember(this.#selections, names, selection, MAX_SELECTIONS)
    remember(this.#askers, key, selection, MAX_ASKERS)
    return selection
  }

  /** Returns the latest unexpired announcement for a script and a license key. */
  announcementFor(scriptId: string, key: string | null, now: number): Announcement | undefined {
    const newest = this.#announcements.find(
      ({ announcement, scripts, keys }) =>
        announcement.until > now &&
        (scripts?.includes(scriptId) ?? true) &&
        (keys === null || (key !== null && keys.has(key))),
    )
    return newest?.announcement
  }
}

function isFor({ scripts, plans }: Variable, { scriptId, planId }: Asker): boolean {
  const ofScript = scripts === null || (scriptId !== undefined && scripts.includes(scriptId))
  return ofScript && (plans === null || (planId !== null && plans.includes(planId)))
}

function makeSelection(chosen: readonly Variable[]): Selection {
  if (chosen.length === 0) return NOTHING
  const vars = Object.fromEntries(chosen.map(({ name, value }) => [name, value]))
  const text = JSON.stringify(vars)
  const digest = hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH)
  return { vars, digest, bytes: Buffer.byteLength(text) }
}

export class ContentCache {
  readonly #contents = new Map<string, Content>()
  #bytes = 0

  /** Returns content of at least this revision. */
  findContent(projectId: string, revision: number): Content | undefined {
    const content = this.#contents.get(projectId)
    if (!content || content.revision < revision) return undefined
    // Reinserting moves the entry to the end, so that the first key is the least recently used.
    this.#contents.delete(projectId)
    this.#contents.set(projectId, content)
    return content
  }

  keepContent(projectId: string, content: Content): void {
    const former = this.#contents.get(projectId)
    if (former && former.revision >= content.revision) return
    this.#drop(projectId, former)
    this.#contents.set(projectId, content)
    this.#bytes += content.weight
    for (const [oldest, old] of this.#contents) {
      if (this.#bytes <= MAX_BYTES) break
      this.#drop(oldest, old)
    }
  }

  #drop(projectId: string, content: Content | undefined): void {
    if (content && this.#contents.delete(projectId)) this.#bytes -= content.weight
  }
}

/** Limits the number of bytes per second. Excess data waits for the next second. */
export class Allowance {
  readonly #perSecond: number
  #left: number
  #countedAt = 0

  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#left = perSecond
  }

  /**
   * Returns false if nothing may be sent now. The last message in a second may exceed the limit, because
   * large messages couldn't be sent otherwise.
   */
  take(bytes: number, now: number): boolean {
    const earned = (Math.max(0, now - this.#countedAt) / 1000) * this.#perSecond
    this.#left = Math.min(this.#perSecond, this.#left + earned)
    this.#countedAt = now
    if (this.#left <= 0) return false
    this.#left -= bytes
    return true
  }
}
