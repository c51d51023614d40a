/** Every migration in the order in which they run. Databases remember the names, so they never change. */
import type { Kysely } from 'kysely'
import { initial } from './0001-initial.ts'
import { access } from './0002-access.ts'
import { dashboard } from './0003-dashboard.ts'
import { lists } from './0004-lists.ts'
import { branding } from './0005-branding.ts'
import { lineMaps } from './0006-line-maps.ts'
import { days } from './0007-days.ts'
import { sessions } from './0008-sessions.ts'
import { backups } from './0009-backups.ts'
import { compatibility } from './0010-compatibility.ts'
import { plans } from './0011-plans.ts'
import { trash } from './0012-trash.ts'
import { movedUsers } from './0013-moved-users.ts'
import { disabledMessages } from './0014-disabled-messages.ts'
import { bans } from './0015-bans.ts'
import { webhookAddresses } from './0016-webhook-addresses.ts'
import { devices } from './0017-devices.ts'
import { ends } from './0018-ends.ts'
import { contents } from './0019-contents.ts'
import { retainedVersions } from './0020-retained-versions.ts'
import { labels } from './0021-labels.ts'
import { keyFormats } from './0022-key-formats.ts'
import { scriptMessages } from './0023-script-messages.ts'
import { scriptFiles } from './0026-script-files.ts'
import { serverFunctions } from './0027-server-functions.ts'
import { ownerObjections } from './0028-owner-objections.ts'
import { resellablePlans } from './0029-resellable-plans.ts'
import { recentRuns } from './0030-recent-runs.ts'
import { deliveredWebhooks } from './0031-delivered-webhooks.ts'
import { auditSeals } from './0033-audit-seals.ts'
import { privateNotes } from './0038-private-notes.ts'

export type Migration = {
  readonly up: (db: Kysely<unknown>) => Promise<void>
  /**
   * For one that takes away what an older version of the service uses: the first version that does without it, which is not
   * later than the last release, and what it is. `docs/decisions/0060-old-code-on-a-newer-schema.md` says why.
   */
  readonly narrows?: { readonly oldest: string; readonly because: string }
}

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-access': access,
  '0003-dashboard': dashboard,
  '0004-lists': lists,
  '0005-branding': branding,
  '0006-line-maps': lineMaps,
  '0007-days': days,
  '0008-sessions': sessions,
  '0009-backups': backups,
  '0010-compatibility': compatibility,
  '0011-plans': plans,
  '0012-trash': trash,
  '0013-moved-users': movedUsers,
  '0014-disabled-messages': disabledMessages,
  '0015-bans': bans,
  '0016-webhook-addresses': webhookAddresses,
  '0017-devices': devices,
  '0018-ends': ends,
  '0019-contents': contents,
  '0020-retained-versions': retainedVersions,
  '0021-labels': labels,
  '0022-key-formats': keyFormats,
  '0023-script-messages': scriptMessages,
  '0026-script-files': scriptFiles,
  '0027-server-functions': serverFunctions,
  '0028-owner-objections': ownerObjections,
  '0029-resellable-plans': resellablePlans,
  '0030-recent-runs': recentRuns,
  '0031-delivered-webhooks': deliveredWebhooks,
  '0033-audit-seals': auditSeals,
  '0038-private-notes': privateNotes,
}
