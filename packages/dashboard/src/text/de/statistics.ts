/** Statistics of executions. */
import type { statisticsText as english } from '../en/statistics.ts'
import type { Words } from '../words.ts'

export const statisticsText: Words<typeof english> = {}
