/** Thrown if a provider can't be reached. The visitor may retry without losing progress. */
export class ProviderDown extends Error {
  constructor() {
    super("the ad provider isn't responding")
  }
}
