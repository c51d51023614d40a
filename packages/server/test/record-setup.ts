/** A Vitest setup file for complete runs, which saves the record of a test file. */
import { afterAll } from 'vitest'
import { saveNotes } from './record.ts'

afterAll(saveNotes)
