/**
 * Runs every check except the tests: style, types, project rules, documentation and the public API. Run it
 * before each commit.
 */
import { passesChecks } from './run.ts'

if (!(await passesChecks())) process.exit(1)
