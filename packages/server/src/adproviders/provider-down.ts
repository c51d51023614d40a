/** Thrown when a provider cannot be asked: the visitor is told to come back, and nothing of his is lost. */
export class ProviderDown extends Error {
  constructor() {
    super('the ad provider does not answer')
  }
}
