/** Thrown when a provider cannot be reached: the visitor may try again and loses nothing. */
export class ProviderDown extends Error {
  constructor() {
    super('the ad provider does not answer')
  }
}
