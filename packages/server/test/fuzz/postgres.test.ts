/** Requests made from the OpenAPI document, on PostgreSQL. */
import { describe } from 'vitest'
import { postgres } from '../databases.ts'
import { fuzzOn } from './fuzz.ts'

// A heading of its own, because `vitest list` reads files without running them.
describe('requests made from the OpenAPI document', () => fuzzOn(postgres))
