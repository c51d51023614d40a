/** Thrown if the user cancels or has no passkey for this site. */
export class NoPasskey extends Error {
  /** Whether the device already has a passkey for this user. */
  get isKnown(): boolean {
    return this.cause instanceof Error && this.cause.name === 'InvalidStateError'
  }
}
