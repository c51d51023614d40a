/** Checks whether customers can get a version. */
import { type EndpointReason, type Refused, refuseMissing, refuseNamed } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import { countScriptVersions, findYanked } from '../scripts/store/script-versions.ts'
import type { ScriptRow } from '../scripts/store/scripts.ts'

type Named = Pick<ScriptRow, 'id' | 'name'>

/**
 * Rejects a version that doesn't exist or was yanked. The caller must have locked the script's row in `tx`,
 * so that the version can't be yanked before the transaction ends.
 */
export async function checkUsable(
  tx: Queries,
  script: Named,
  version: number,
): Promise<undefined | Refused<'not_found' | 'version_yanked'>> {
  const found = await findYanked(tx, script.id, version)
  if (!found) return refuseVersion(tx, script, version)
  return found.yanked_at === null ? undefined : refuseVersionAs('version_yanked', script, version)
}

export async function refuseVersion(
  db: Queries,
  { id, name }: Named,
  version: number,
): Promise<Refused<'not_found'>> {
  const newest = await countScriptVersions(db, id)
  return refuseMissing(`Version ${version} of ${name} does not exist. The latest is ${newest}`)
}

export function refuseVersionAs<R extends EndpointReason>(
  reason: R,
  { name }: Pick<ScriptRow, 'name'>,
  version: number,
): Refused<R> {
  return refuseNamed(reason, 'This version', `Version ${version} of ${name}`)
}
