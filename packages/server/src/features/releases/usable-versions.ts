/** Whether a version may be given to customers. */
import { type Refused, refuseMissing } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import { countScriptVersions, findVersionReport } from '../scripts/store/script-versions.ts'
import type { ScriptRow } from '../scripts/store/scripts.ts'

export async function checkUsable(
  tx: Queries,
  script: ScriptRow,
  version: number,
): Promise<undefined | Refused<'not_found'>> {
  const known = await findVersionReport(tx, script.id, version)
  return known ? undefined : refuseVersion(tx, script, version)
}

export async function refuseVersion(
  db: Queries,
  { id, name }: ScriptRow,
  version: number,
): Promise<Refused<'not_found'>> {
  const newest = await countScriptVersions(db, id)
  return refuseMissing(`Version ${version} of ${name} does not exist. The latest is ${newest}`)
}
