/** Statistics of executions. */
export const statisticsText = {} as const
