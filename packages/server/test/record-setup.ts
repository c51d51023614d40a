/** Saves what the tests of a file met; a setup file of Vitest in whole runs. */
import { afterAll } from 'vitest'
import { saveNotes } from './record.ts'

afterAll(saveNotes)
