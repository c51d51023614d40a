/** Scripts and their versions. */
export const scriptsText = {} as const
