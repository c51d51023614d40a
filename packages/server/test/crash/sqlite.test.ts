/** A service that is killed while eight write, on SQLite. */
import { describe } from 'vitest'
import { sqlite } from '../databases.ts'
import { crashesOn } from './crashes.ts'

// A heading of its own, because `vitest list` reads files without running them.
describe('a service that is killed', () => crashesOn(sqlite, { day: 2, night: 20 }))
