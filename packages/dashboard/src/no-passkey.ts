/** The person gave up, or there is no passkey for this address. */
export class NoPasskey extends Error {}
