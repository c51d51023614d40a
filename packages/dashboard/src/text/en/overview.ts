/** Overview of a project, and the wizard of an empty one. */
export const overviewText = {} as const
