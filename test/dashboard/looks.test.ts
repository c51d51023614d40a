/** Every room of a project in each of its states and in every look; `looks-outside.test.ts` has the others. */
import { inspectEach } from './inspect.ts'
import { ROOMS_OF_SCRIPTS } from './looks-of-scripts.ts'
import { ROOMS_OF_USERS } from './looks-of-users.ts'
import { sharedStage } from './stage.ts'

inspectEach(sharedStage(), { ...ROOMS_OF_USERS, ...ROOMS_OF_SCRIPTS })
