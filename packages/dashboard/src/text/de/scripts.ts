/** Scripts and their versions. */
import type { scriptsText as english } from '../en/scripts.ts'
import type { Words } from '../words.ts'

export const scriptsText: Words<typeof english> = {}
