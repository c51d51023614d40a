/** Tests a server that is killed while eight writers run, on a PostgreSQL server that keeps running. */
import { describe } from 'vitest'
import { postgres } from '../databases.ts'
import { crashesOn } from './crashes.ts'

// The `describe` is in this file because `vitest list` reads files without running them.
describe('a server that is killed', () => crashesOn(postgres, { day: 1, night: 20 }))
