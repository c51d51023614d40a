/** Live sessions. */
import type { sessionsText as english } from '../en/sessions.ts'
import type { Words } from '../words.ts'

export const sessionsText: Words<typeof english> = {}
