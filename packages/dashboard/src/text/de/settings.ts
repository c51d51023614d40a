/** Settings and branding of a project. */
import type { settingsText as english } from '../en/settings.ts'
import type { Words } from '../words.ts'

export const settingsText: Words<typeof english> = {}
