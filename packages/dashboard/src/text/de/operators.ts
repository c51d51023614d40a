/** Pages of operators. */
import type { operatorsText as english } from '../en/operators.ts'
import type { Words } from '../words.ts'

export const operatorsText: Words<typeof english> = {}
