/** Writes the pictures of the documents to `docs/images`: of the real dashboard, by a test that runs for nothing else. */
import { run } from './run.ts'

process.env.SCRIPTWARD_PICTURES = '1'
process.exit(run('vitest', ['run', 'test/dashboard/pictures.test.ts']))
