/** Tests every page outside of projects, in each state and look. */
import { inspectEach } from './inspect.ts'
import { ROOMS_OF_ACCOUNTS } from './looks-of-accounts.ts'
import { ownStage } from './stage.ts'

// Uses a separate server, because operators see its backups and all accounts, and sign-up has to be open.
inspectEach(ownStage({ config: { signUp: 'open', adsCaptcha: 'pow' } }), ROOMS_OF_ACCOUNTS)
