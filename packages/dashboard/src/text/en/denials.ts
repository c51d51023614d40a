/** Why executions were denied. */
export const denialsText = {} as const
