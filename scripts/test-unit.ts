/** Runs the tests that need no server, database, browser or interpreter. They take only seconds. */
import { run } from './run.ts'

process.exit(run('vitest', ['run', '--project=unit', ...process.argv.slice(2)]))
