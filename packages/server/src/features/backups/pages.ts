/**
 * Downloads backups through single-use links, so that browsers save the file without loading it into memory.
 */
import type { Page } from '../../api/page.ts'
import type { Config } from '../../config/config.ts'
import { renderProblem } from '../../pages/problem-page.ts'
import { originFor, takeOnce } from '../access/single-use.ts'
import { openBackupFile } from './archive/places.ts'

/** Lifetime of a link. The download itself may take longer. */
export const LINK_MS = 60_000
const READ_BYTES = 1 << 18

export function downloadUrl(config: Pick<Config, 'baseUrl' | 'host' | 'port'>, secret: string): string {
  return `${originFor(config)}/downloads/${secret}`
}

const download: Page = {
  name: 'backups.download',
  method: 'GET',
  path: '/downloads/:secret',
  base: '/',
  async handle({ params, ...frame }, deps) {
    const { secret = '' } = params
    const row = await deps.unauditedDb.transaction((tx) => takeOnce(deps, tx, secret, ['backup_download']))
    const { name = '' } = JSON.parse(row?.data ?? '{}') as { readonly name?: string }
    const opened = await openBackupFile(deps.config.backup.dir, name)
    if (opened === undefined) return { status: 404, text: renderProblem(frame, 'not_found') }
    const { handle, bytes } = opened
    return {
      status: 200,
      // Closes the file when the response or the connection ends.
      text: handle.createReadStream({ highWaterMark: READ_BYTES }),
      contentType: 'application/octet-stream',
      headers: {
        'content-disposition': `attachment; filename="${name}"`,
        'content-length': String(bytes),
      },
    }
  },
}

export const backupPages: readonly Page[] = [download]
