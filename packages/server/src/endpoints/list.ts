/** Every endpoint of every family. An endpoint that is not here does not exist; nothing else registers one. */
import { beat } from './client/beat.ts'
import { check } from './client/check.ts'
import { exec } from './client/exec.ts'
import { loader } from './client/loader.ts'
import type { Endpoint } from './endpoint.ts'
import { systemEndpoints } from './system.ts'
import { customers } from './unversioned/customers.ts'
import { projectUserLists } from './unversioned/project-user-lists.ts'
import { projectUsers } from './unversioned/project-users.ts'
import { projects } from './unversioned/projects.ts'
import { scripts } from './unversioned/scripts.ts'
import { statistics } from './unversioned/statistics.ts'
import { tiers } from './unversioned/tiers.ts'
import { users } from './unversioned/users.ts'
import { account } from './v1/account.ts'
import { adCheckpointsV1 } from './v1/ad-checkpoints.ts'
import { adSystemsV1 } from './v1/ad-systems.ts'
import { adminCustomers } from './v1/admin-customers.ts'
import { adminTiers } from './v1/admin-tiers.ts'
import { chatMembersV1 } from './v1/chat-members.ts'
import { denialsV1 } from './v1/denials.ts'
import { limits } from './v1/limits.ts'
import { obfuscator } from './v1/obfuscator.ts'
import { projectSessionsV1 } from './v1/project-sessions.ts'
import { projectUsersV1 } from './v1/project-users.ts'
import { projectsV1 } from './v1/projects.ts'
import { scriptVersions } from './v1/script-versions.ts'
import { scriptsV1 } from './v1/scripts.ts'
import { sessionsV1 } from './v1/sessions.ts'
import { traces } from './v1/traces.ts'
import { usersV1 } from './v1/users.ts'
import { webhooksV1 } from './v1/webhooks.ts'

const offered: readonly Endpoint[] = [
  ...tiers,
  ...customers,
  ...projects,
  ...projectUserLists,
  ...projectUsers,
  ...scripts,
  ...users,
  ...scriptsV1,
  ...scriptVersions,
  ...traces,
  ...projectsV1,
  ...obfuscator,
  ...projectUsersV1,
  ...usersV1,
  ...webhooksV1,
  ...sessionsV1,
  ...projectSessionsV1,
  ...denialsV1,
  ...chatMembersV1,
  ...adSystemsV1,
  ...adCheckpointsV1,
  ...statistics,
  ...account,
  ...limits,
  ...adminCustomers,
  ...adminTiers,
  ...loader,
  ...exec,
  ...beat,
  ...check,
]

export const endpoints: readonly Endpoint[] = [...offered, ...systemEndpoints(offered)]
