/** Webhook addresses and deliveries. */
import type { webhooksText as english } from '../en/webhooks.ts'
import type { Words } from '../words.ts'

export const webhooksText: Words<typeof english> = {}
