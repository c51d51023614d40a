/** Finds imported keys of a project that loaders would reject as typos if the key format changed. */
import { setImmediate } from 'node:timers/promises'
import { type Refused, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { listKeysAfter } from '../keys/store/users.ts'
import { maskKey } from '../webhooks/events/chat-text.ts'
import { isMistaken } from './key-formats.ts'
import type { ProjectRow } from './store/projects.ts'

type Format = { readonly key_format?: string | null }

/**
 * Rejects a format if loaders with this format would reject keys of the project. Skips the check if the
 * format is unchanged.
 */
export async function refuseMistakenKeys(
  deps: Deps,
  project: ProjectRow,
  { key_format }: Format,
): Promise<Refused<'invalid_request'> | undefined> {
  if (!key_format || key_format === project.key_format) return undefined
  const key = await findMistakenKey(deps, project.id, key_format)
  return key === undefined
    ? undefined
    : refuseMember(
        'key_format',
        `matches keys issued elsewhere, such as ${maskKey(key)}, which would then be treated as typos. Choose another prefix or other groups`,
      )
}

async function findMistakenKey({ db }: Deps, projectId: string, format: string): Promise<string | undefined> {
  const size = db.rowsAtOnce
  for (let after = 0; ; await setImmediate()) {
    const users = await listKeysAfter(db.read, projectId, { after, limit: size })
    const mistaken = users.find(({ key }) => isMistaken(format, key))
    if (mistaken) return mistaken.key
    const last = users.at(-1)
    if (users.length < size || !last) return undefined
    after = last.seq
  }
}
