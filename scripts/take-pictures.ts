/**
 * Takes the screenshots for the documentation from the real dashboard and writes them to `docs/images`. A test that is
 * otherwise skipped does the work.
 */
import { run } from './run.ts'

process.env.SCRIPTWARD_PICTURES = '1'
process.exit(run('vitest', ['run', 'test/dashboard/pictures.test.ts']))
