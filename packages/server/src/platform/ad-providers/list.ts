import type { AdProvider, ProviderId } from './provider.ts'
import { providerA } from './provider-a.ts'
import { providerB } from './provider-b.ts'
import { providerC } from './provider-c.ts'

export const adProviders: Readonly<Record<ProviderId, AdProvider>> = {
  provider_a: providerA,
  provider_b: providerB,
  provider_c: providerC,
}

export const providerIds = Object.keys(adProviders) as ProviderId[]
