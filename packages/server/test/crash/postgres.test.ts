/** A service that is killed while eight write, on PostgreSQL, which itself goes on. */
import { describe } from 'vitest'
import { postgres } from '../databases.ts'
import { crashesOn } from './crashes.ts'

// A heading of its own, because `vitest list` reads files without running them.
describe('a service that is killed', () => crashesOn(postgres, { day: 1, night: 20 }))
