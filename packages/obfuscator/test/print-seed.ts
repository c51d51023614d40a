/** Runs before each test file: a failure says how to repeat it. */

import { beforeEach } from 'vitest'
import { SEED } from './seeds.ts'

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => void process.stderr.write(`SCRIPTWARD_SEED=${SEED} builds the same bytes again\n`))
})
