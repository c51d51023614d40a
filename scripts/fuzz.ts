/**
 * Sends requests generated from the OpenAPI document, on each engine: `--forever` or `--requests 1000000`.
 * `--engine sqlite` selects one engine, and `--seed 5` reproduces a finding.
 */
import { parseArgs } from 'node:util'
import { run } from './run.ts'

const FOREVER = '1000000000000'

const { values } = parseArgs({
  options: {
    forever: { type: 'boolean', default: false },
    requests: { type: 'string', default: '25000' },
    seed: { type: 'string' },
    engine: { type: 'string', default: '' },
  },
})
process.env.SCRIPTWARD_FUZZ_REQUESTS = values.forever ? FOREVER : values.requests
if (values.seed !== undefined) process.env.SCRIPTWARD_FUZZ_SEED = values.seed
process.exit(run('vitest', ['run', `packages/server/test/fuzz/${values.engine}`]))
