/** Thrown if the user canceled or has no passkey for this site. */
export class NoPasskey extends Error {
  /** True if the device already has a passkey of this user. */
  get isKnown(): boolean {
    return this.cause instanceof Error && this.cause.name === 'InvalidStateError'
  }
}
