/** Every page of the dashboard that is no project's, in each of its states and in every look. */
import { inspectEach } from './inspect.ts'
import { ROOMS_OF_ACCOUNTS } from './looks-of-accounts.ts'
import { ownStage } from './stage.ts'

// Operators see the backups of the service and all of its customers, and nobody can sign up where it is closed.
inspectEach(ownStage({ config: { signUp: 'open', adsCaptcha: 'pow' } }), ROOMS_OF_ACCOUNTS)
