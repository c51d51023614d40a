/** The interface's table of errors, line by line; a line may name several paths. */
import type { ErrorRow } from './row.ts'

const U = 'test/endpoints/unversioned'
/** Provokes each failure that an endpoint declares, on both engines and in both families. */
const EVERY = 'test/every-failure › $endpoint.method $endpoint.path: $code $reason'

const row = (
  at: string | readonly string[],
  code: number,
  message: string,
  ...proofs: string[]
): ErrorRow => ({
  at: [at].flat(),
  code,
  message,
  proofs: [EVERY, ...proofs],
})

const NEW_PROJECT = 'POST /customers/:api_key/projects/new'
const EDIT_PROJECT = 'POST /projects/:project_id/edit'
const NEW_SCRIPT = 'POST /projects/:project_id/scripts/new'
const IMPORT = 'POST /projects/:project_id/users/import'
const NEW_USER = 'POST /projects/:project_id/users/new'
const GENERATE = 'POST /projects/:project_id/users/generate'
const EDIT_SCRIPT = 'POST /scripts/:script_id/edit'
const UPDATE_SCRIPT = 'POST /scripts/:script_id/update'
const BULK = ['resetall', 'purge', 'clear', 'compensate'].map(
  (way) => `POST /projects/:project_id/users/${way}`,
)

const UNPARSED = 'failed to obfuscate script'
const TWO_CODES = `${U}/scripts › has one code for two reasons, and a type for each`

export const errorRows: readonly ErrorRow[] = [
  row(NEW_PROJECT, 0, 'max projects reached', 'test/limits-at-once › %s'),
  row(
    NEW_PROJECT,
    1,
    'account expired',
    `${U}/customers › says that the account has expired before it counts`,
  ),
  row(
    EDIT_PROJECT,
    0,
    'account expired',
    `${U}/projects › is read and removed, but not edited, when the account has expired`,
  ),
  row(
    EDIT_PROJECT,
    1,
    'cannot edit nothing',
    `${U}/projects › may be edited to the value that it has, but not by nothing`,
  ),
  row(
    NEW_SCRIPT,
    0,
    'max scripts reached',
    `${U}/scripts › refuses more scripts than the tier allows, over all projects`,
  ),
  row(
    NEW_SCRIPT,
    1,
    'max obfuscations reached',
    `${U}/scripts › refuses more obfuscations than the tier allows, and takes from the bonus after that`,
  ),
  row(NEW_SCRIPT, 2, 'account expired', `${U}/scripts › refuses in the order expired, scripts, obfuscations`),
  row(NEW_SCRIPT, 3, UNPARSED, `${U}/scripts › says where a source does not parse, and counts nothing`),
  row(
    'GET /projects/:project_id/users/filter',
    0,
    'must filter something',
    `${U}/user-filter › is refused when nothing is asked for`,
  ),
  row(
    IMPORT,
    0,
    'too many users to import',
    `${U}/user-transfer › refuses more than one call may carry`,
    `${U}/user-transfer › imports nobody when the tier has no place for all, and counts only who is not skipped`,
  ),
  row(IMPORT, 1, 'account expired'),
  row(IMPORT, 2, 'no users given', `${U}/user-transfer › refuses %j as no users`),
  row(
    NEW_USER,
    0,
    'max users reached',
    `${U}/project-users › counts the users of all projects of the account`,
  ),
  row(NEW_USER, 1, 'account expired', `${U}/project-users › says "account expired" before anything else`),
  row(
    NEW_USER,
    2,
    'key already exists with this discord (chat) account',
    `${U}/project-users › refuses a chat id that the project has, but not one of another project`,
  ),
  row(
    GENERATE,
    0,
    'too many keys to generate',
    `${U}/user-bulk › refuses more than one call may carry, and says how many that are`,
  ),
  row(GENERATE, 1, 'account expired'),
  row(BULK, 0, 'account expired'),
  row(
    EDIT_SCRIPT,
    0,
    'account expired',
    `${U}/scripts › POST /scripts/:script_id/edit › refuses an expired account`,
  ),
  row(
    EDIT_SCRIPT,
    1,
    'cannot edit nothing',
    `${U}/scripts › POST /scripts/:script_id/edit › refuses %j, which edits nothing`,
  ),
  row(UPDATE_SCRIPT, 0, 'account expired'),
  row(UPDATE_SCRIPT, 1, 'max obfuscations reached', TWO_CODES),
  row(
    UPDATE_SCRIPT,
    1,
    UNPARSED,
    TWO_CODES,
    `${U}/scripts › keeps the old version when the new source does not parse, and counts nothing`,
  ),
  row(
    'POST /scripts/:script_id/toggle',
    0,
    'account expired',
    `${U}/scripts › POST /scripts/:script_id/toggle › refuses an expired account`,
  ),
]
