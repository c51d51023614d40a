/** Sends requests generated from the OpenAPI document to a server on PostgreSQL. */
import { describe } from 'vitest'
import { postgres } from '../databases.ts'
import { fuzzOn } from './fuzz.ts'

// The `describe` is in this file because `vitest list` reads files without running them.
describe('requests generated from the OpenAPI document', () => fuzzOn(postgres))
