/** Users of a project and their keys. */
export const usersText = {} as const
