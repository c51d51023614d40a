/** The tests that need no service, no database, no browser and no interpreter: seconds, for every save. */
import { run } from './run.ts'

process.exit(run('vitest', ['run', '--project=unit', ...process.argv.slice(2)]))
