/** Sends requests generated from the OpenAPI document to a server on SQLite. */
import { describe } from 'vitest'
import { sqlite } from '../databases.ts'
import { fuzzOn } from './fuzz.ts'

// The `describe` is in this file because `vitest list` reads files without running them.
describe('requests generated from the OpenAPI document', () => fuzzOn(sqlite))
