/** A Vitest setup file for complete runs. Saves the record of each test file. */
import { afterAll } from 'vitest'
import { saveNotes } from './record.ts'

afterAll(saveNotes)
