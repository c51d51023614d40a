/** Runs before each test file. If a test fails, prints how to reproduce the failure. */

import { beforeEach } from 'vitest'
import { SEED } from './seeds.ts'

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => void process.stderr.write(`SCRIPTWARD_SEED=${SEED} builds the same bytes again\n`))
})
