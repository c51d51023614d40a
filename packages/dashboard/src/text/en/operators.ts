/** Pages of operators. */
export const operatorsText = {} as const
