/** Why executions were denied. */
import type { denialsText as english } from '../en/denials.ts'
import type { Words } from '../words.ts'

export const denialsText: Words<typeof english> = {}
