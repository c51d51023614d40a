/** Writes the pictures of the documents to `docs/images`: of the real dashboard, by the test that takes them in every run. */
import { run } from './run.ts'

process.env.SCRIPTWARD_PICTURES = '1'
process.exit(run('vitest', ['run', 'test/dashboard/pictures.test.ts']))
