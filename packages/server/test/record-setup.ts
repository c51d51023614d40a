/** Saves the record of a test file; a Vitest setup file for complete runs. */
import { afterAll } from 'vitest'
import { saveNotes } from './record.ts'

afterAll(saveNotes)
