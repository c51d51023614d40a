/** Every table of failures. A table that is not here is not used. */
import { accountFailures } from './accounts.ts'
import { adFailures } from './ads.ts'
import { beatFailures } from './beats.ts'
import { executionFailures } from './executions.ts'
import type { Failures } from './failure.ts'
import { nounFailures } from './nouns.ts'

export const failures: Failures = {
  ...accountFailures,
  ...adFailures,
  ...beatFailures,
  ...executionFailures,
  ...nounFailures,
}
