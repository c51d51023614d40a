/** Checks the guarantees of every-form.test.ts for the forms for scripts. */
import { describe } from 'vitest'
import { isKeptIn, useFilledAccount } from './every-form-steps.ts'
import { SCRIPT_FORMS } from './kept-forms-of-scripts.ts'

useFilledAccount()

describe('what was typed', () => isKeptIn(SCRIPT_FORMS))
