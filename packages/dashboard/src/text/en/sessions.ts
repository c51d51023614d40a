/** Live sessions. */
export const sessionsText = {} as const
