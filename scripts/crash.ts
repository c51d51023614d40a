/**
 * Repeatedly kills the server while eight clients write, on each engine, and compares the database with the
 * acknowledged writes. Options: `--rounds 60`, `--engine sqlite`.
 */
import { parseArgs } from 'node:util'
import { run } from './run.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '60' }, engine: { type: 'string', default: '' } },
})
process.env.SCRIPTWARD_CRASH_ROUNDS = values.rounds
process.exit(run('vitest', ['run', `packages/server/test/crash/${values.engine}`]))
