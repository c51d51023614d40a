/** A service that is killed while eight write, on PostgreSQL, which itself goes on. */
import { postgres } from '../databases.ts'
import { crashesOn } from './crashes.ts'

crashesOn(postgres, { day: 1, night: 60 })
