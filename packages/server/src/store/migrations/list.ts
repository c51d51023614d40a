/** Every migration in the order in which they run; the names stay as they are, since databases remember them. */
import type { Migration } from 'kysely/migration'
import { initial } from './0001-initial.ts'
import { webhooks } from './0002-webhooks.ts'
import { ads } from './0003-ads.ts'
import { countsAndJobs } from './0004-counts-and-jobs.ts'
import { userSearch } from './0005-user-search.ts'
import { idempotency } from './0006-idempotency.ts'
import { liveInstances } from './0008-live-instances.ts'
import { obfuscationReservations } from './0009-obfuscation-reservations.ts'
import { denials } from './0011-denials.ts'
import { chatMembers } from './0012-chat-members.ts'
import { checks } from './0013-checks.ts'
import { visitors } from './0014-visitors.ts'
import { watermarks } from './0016-watermarks.ts'
import { buildOptions } from './0017-build-options.ts'
import { lockKeys } from './0018-lock-keys.ts'
import { splitPayloads } from './0019-split-payloads.ts'
import { adUserCounts } from './0023-ad-user-counts.ts'
import { dueEvents } from './0024-due-events.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-webhooks': webhooks,
  '0003-ads': ads,
  '0004-counts-and-jobs': countsAndJobs,
  '0005-user-search': userSearch,
  '0006-idempotency': idempotency,
  '0008-live-instances': liveInstances,
  '0009-obfuscation-reservations': obfuscationReservations,
  '0011-denials': denials,
  '0012-chat-members': chatMembers,
  '0013-checks': checks,
  '0014-visitors': visitors,
  '0016-watermarks': watermarks,
  '0017-build-options': buildOptions,
  '0018-lock-keys': lockKeys,
  '0019-split-payloads': splitPayloads,
  '0023-ad-user-counts': adUserCounts,
  '0024-due-events': dueEvents,
}
