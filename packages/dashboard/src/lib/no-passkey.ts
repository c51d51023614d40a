/** The person gave up, or there is no passkey for this address. */
export class NoPasskey extends Error {
  /** It was not made, because the device has one of this person. */
  get isKnown(): boolean {
    return this.cause instanceof Error && this.cause.name === 'InvalidStateError'
  }
}
