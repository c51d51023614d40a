/** Style, types, house rules, documents and the public surface, without the tests: what to run before a commit. */
import { passesChecks } from './run.ts'

if (!(await passesChecks())) process.exit(1)
