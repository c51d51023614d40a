/** The interface's error table. Each entry has a path, a code and a message. */
import type { ErrorRow } from './rows.ts'

const EXPIRED = 'account expired'
const NOTHING = 'cannot edit nothing'
const UNPARSED = 'failed to obfuscate script'
const NO_OBFUSCATIONS = 'max obfuscations reached'

export const errorRows: readonly ErrorRow[] = [
  ['POST /customers/:api_key/projects/new', 0, 'max projects reached'],
  ['POST /customers/:api_key/projects/new', 1, EXPIRED],
  ['POST /projects/:project_id/edit', 0, EXPIRED],
  ['POST /projects/:project_id/edit', 1, NOTHING],
  ['POST /projects/:project_id/scripts/new', 0, 'max scripts reached'],
  ['POST /projects/:project_id/scripts/new', 1, NO_OBFUSCATIONS],
  ['POST /projects/:project_id/scripts/new', 2, EXPIRED],
  ['POST /projects/:project_id/scripts/new', 3, UNPARSED],
  ['GET /projects/:project_id/users/filter', 0, 'must filter something'],
  ['POST /projects/:project_id/users/import', 0, 'too many users to import'],
  ['POST /projects/:project_id/users/import', 1, EXPIRED],
  ['POST /projects/:project_id/users/import', 2, 'no users given'],
  ['POST /projects/:project_id/users/new', 0, 'max users reached'],
  ['POST /projects/:project_id/users/new', 1, EXPIRED],
  ['POST /projects/:project_id/users/new', 2, 'key already exists with this discord (chat) account'],
  ['POST /projects/:project_id/users/generate', 0, 'too many keys to generate'],
  ['POST /projects/:project_id/users/generate', 1, EXPIRED],
  ['POST /projects/:project_id/users/resetall', 0, EXPIRED],
  ['POST /projects/:project_id/users/purge', 0, EXPIRED],
  ['POST /projects/:project_id/users/clear', 0, EXPIRED],
  ['POST /projects/:project_id/users/compensate', 0, EXPIRED],
  ['POST /scripts/:script_id/edit', 0, EXPIRED],
  ['POST /scripts/:script_id/edit', 1, NOTHING],
  ['POST /scripts/:script_id/update', 0, EXPIRED],
  ['POST /scripts/:script_id/update', 1, NO_OBFUSCATIONS],
  ['POST /scripts/:script_id/update', 1, UNPARSED],
  ['POST /scripts/:script_id/toggle', 0, EXPIRED],
]
