/** Users of a project and their keys. */
import type { usersText as english } from '../en/users.ts'
import type { Words } from '../words.ts'

export const usersText: Words<typeof english> = {}
