/** Settings and branding of a project. */
export const settingsText = {} as const
