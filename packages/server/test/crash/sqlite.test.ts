/** A service that is killed while eight write, on SQLite. */
import { sqlite } from '../databases.ts'
import { crashesOn } from './crashes.ts'

crashesOn(sqlite, { day: 2, night: 60 })
