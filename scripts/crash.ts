/**
 * Kills the service while eight write, again and again on each engine, and compares what is there with what was
 * acknowledged: `--rounds 60`, `--engine sqlite` for one of them.
 */
import { parseArgs } from 'node:util'
import { run } from './run.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '60' }, engine: { type: 'string', default: '' } },
})
process.env.SCRIPTWARD_CRASH_ROUNDS = values.rounds
process.exit(run('vitest', ['run', `packages/server/test/crash/${values.engine}`]))
