/** Webhook addresses and deliveries. */
export const webhooksText = {} as const
