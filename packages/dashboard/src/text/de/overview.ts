/** Overview of a project, and the wizard of an empty one. */
import type { overviewText as english } from '../en/overview.ts'
import type { Words } from '../words.ts'

export const overviewText: Words<typeof english> = {}
