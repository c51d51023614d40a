/**
 * A project's remote content, in the form that executions, heartbeats and sessions need. Each revision is
 * read once, and is sent to a client only if the part for that client has changed.
 */

import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import {
  Content,
  type LimitedAnnouncement,
  NOTHING,
  type Selection,
  type Variable,
} from '../../protocol/contents.ts'
import {
  findContentRevision,
  findVariables,
  listTargetedAnnouncements,
  type TargetedAnnouncement,
} from '../variables/store.ts'

/** A row with the content revision of its project. The revision is null if the project was deleted. */
type Place = { readonly project_id: string; readonly content_revision: number | null }
export type Contents = ReadonlyMap<string, Content>

/** Loads the contents of these rows' projects. Projects without content have no entry. */
export async function loadContents(deps: Deps, db: Queries, places: readonly Place[]): Promise<Contents> {
  const contents = new Map<string, Content>()
  for (const place of places) {
    if (!place.content_revision || contents.has(place.project_id)) continue
    const content = await loadContent(deps, db, place)
    if (content) contents.set(place.project_id, content)
  }
  return contents
}

/** Returns undefined for a project that never had content. */
export async function loadContent(
  deps: Pick<Deps, 'client'>,
  db: Queries,
  { project_id, content_revision }: Place,
): Promise<Content | undefined> {
  if (!content_revision) return undefined
  const known = deps.client.contents.findContent(project_id, content_revision)
  if (known) return known
  // Reads the revision first. If the content changes after that, the revision increases, and the content is
  // read again.
  const revision = await findContentRevision(db, project_id)
  if (revision === undefined) return undefined
  const row = await findVariables(db, project_id)
  const announcements = await listTargetedAnnouncements(db, project_id)
  const content = new Content({
    revision,
    variables: readVariables(row?.data),
    announcements: announcements.map(describeAnnouncement),
    bytes: announcements.reduce((sum, one) => sum + sizeOf(one), row?.data.length ?? 0),
  })
  deps.client.contents.keepContent(project_id, content)
  return content
}

export function readVariables(data: string | undefined): Variable[] {
  return data === undefined ? [] : (JSON.parse(data) as Variable[])
}

/** Null means every script of the project. */
export function readScriptIds(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[])
}

function describeAnnouncement(row: TargetedAnnouncement): LimitedAnnouncement {
  const { id, text, level, until, scripts, keys } = row
  return {
    announcement: { id, text, level, until: Number(until) },
    scripts: readScriptIds(scripts),
    keys: keys === null ? null : new Set(JSON.parse(keys) as string[]),
  }
}

function sizeOf({ keys }: TargetedAnnouncement): number {
  return ANNOUNCEMENT_BYTES + (keys?.length ?? 0)
}

/**
 * Returns the digest of the fields that a client has, followed by the digest of its variables if there are
 * any.
 */
export function joinDigests(ofOthers: string, { digest }: Selection): string {
  return digest === '' ? ofOthers : `${ofOthers}.${digest}`
}

/**
 * Returns whether the variables differ from those that the client last received. `known` identifies what it
 * received.
 */
export function hasOtherVariables(known: string | null, { digest }: Selection): boolean {
  return (known?.split('.')[1] ?? '') !== digest
}

export function selectionOf(
  content: Content | undefined,
  { script_id, plan_id }: { readonly script_id: string; readonly plan_id: string | null },
): Selection {
  return content?.select({ scriptId: script_id, planId: plan_id }) ?? NOTHING
}

const ANNOUNCEMENT_BYTES = 1000
