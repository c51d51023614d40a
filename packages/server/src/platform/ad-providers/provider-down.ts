/** Thrown when a provider cannot be reached. The visitor may retry without losing progress. */
export class ProviderDown extends Error {
  constructor() {
    super('the ad provider does not respond')
  }
}
