/** Tests a server that is killed while eight writers run, on SQLite. */
import { describe } from 'vitest'
import { sqlite } from '../databases.ts'
import { crashesOn } from './crashes.ts'

// The `describe` is in this file because `vitest list` reads files without running them.
describe('a server that is killed', () => crashesOn(sqlite, { day: 2, night: 20 }))
