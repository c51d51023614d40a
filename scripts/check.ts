/** Style, types, house rules, documents and generated pages, without the tests: what to run before a commit. */
import { runChecks } from './run.ts'

runChecks()
