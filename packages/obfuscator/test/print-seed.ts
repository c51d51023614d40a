/** Runs before each test file, so that a failure prints how to reproduce it. */

import { beforeEach } from 'vitest'
import { SEED } from './seeds.ts'

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => void process.stderr.write(`SCRIPTWARD_SEED=${SEED} builds the same bytes again\n`))
})
