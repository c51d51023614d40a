/** Style, types, house rules, documents and the public surface, without the tests: what to run before a commit. */
import { runChecks } from './run.ts'

await runChecks()
