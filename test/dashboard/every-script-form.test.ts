/** Runs the checks from every-form.test.ts on the script forms. */
import { describe } from 'vitest'
import { isKeptIn, useFilledAccount } from './every-form-steps.ts'
import { SCRIPT_FORMS } from './kept-forms-of-scripts.ts'

useFilledAccount()

describe('what was typed', () => isKeptIn(SCRIPT_FORMS))
