/** Tests every project page in each state and look. `looks-outside.test.ts` covers the other pages. */
import { inspectEach } from './inspect.ts'
import { ROOMS_OF_HUB } from './looks-of-hub.ts'
import { ROOMS_OF_RECORDS } from './looks-of-records.ts'
import { ROOMS_OF_SCRIPTS } from './looks-of-scripts.ts'
import { ROOMS_OF_USERS } from './looks-of-users.ts'
import { sharedStage } from './stage.ts'

inspectEach(sharedStage(), { ...ROOMS_OF_USERS, ...ROOMS_OF_RECORDS, ...ROOMS_OF_SCRIPTS, ...ROOMS_OF_HUB })
