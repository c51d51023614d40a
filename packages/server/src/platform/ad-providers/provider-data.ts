/**
 * Handles an account's settings for a provider: validates them against the provider's schema, with errors
 * that name the field and the fix, and masks secrets for display. The domain stores the settings encrypted.
 */
import { Default, Errors } from 'typebox/value'
import type { AdProvider, ProviderData } from './provider.ts'

export type Failure = { readonly field: string; readonly errors: readonly string[] }

type Complaint = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * Returns the data with defaults filled in, or the error. A field that is null gets its default. A secret
 * that is sent back in its masked form keeps its value from `stored`.
 */
export function readProviderData(
  provider: AdProvider,
  value: unknown,
  stored: ProviderData = {},
): { readonly data: ProviderData } | { readonly failed: readonly Failure[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { failed: [{ field: 'provider_data', errors: ['must be an object'] }] }
  const given = Object.entries(value).filter(([, member]) => member !== null)
  const whole = given.map(([name, member]) => [name, unmasked(provider, name, member, stored)] as const)
  const data = Default(provider.dataSchema, Object.fromEntries(whole)) as ProviderData
  const failed = failuresOf(provider, data)
  const fault = failed.length === 0 ? provider.faultOf?.(data) : undefined
  if (fault !== undefined) failed.push(failureOf(fault.member, fault.fix))
  return failed.length === 0 ? { data } : { failed }
}

/** Shows enough of a secret to recognize it, but not enough to use it. */
export function maskProviderData(provider: AdProvider, data: ProviderData): ProviderData {
  const masked = Object.entries(data).map(([name, value]) => [
    name,
    provider.secrets.includes(name) && typeof value === 'string' ? mask(value) : value,
  ])
  return Object.fromEntries(masked)
}

const SHOWN = 4

function mask(secret: string): string {
  return `${secret.slice(0, SHOWN)}…${secret.slice(-SHOWN)}`
}

function unmasked({ secrets }: AdProvider, name: string, value: unknown, stored: ProviderData): unknown {
  const secret = secrets.includes(name) ? stored[name] : undefined
  return typeof secret === 'string' && value === mask(secret) ? secret : value
}

function failuresOf({ dataSchema }: AdProvider, data: ProviderData): Failure[] {
  const words = new Map<string, string>()
  for (const complaint of Errors(dataSchema, data) as readonly Complaint[]) {
    for (const [name, fix] of wordsOf(complaint, dataSchema.properties)) words.set(name.slice(0, 100), fix)
  }
  return [...words].map(([name, fix]) => failureOf(name, fix))
}

function failureOf(name: string, fix: string): Failure {
  return { field: `provider_data.${name}`, errors: [fix] }
}

type Members = Readonly<Record<string, { readonly description?: string }>>

/**
 * The validator reports each unknown field once individually, with the `false` schema, and once together with
 * the others. It reports only the first few errors, so the individual report is used.
 */
function wordsOf({ keyword, instancePath, params }: Complaint, members: Members): [string, string][] {
  if (keyword === 'additionalProperties') return []
  if (keyword === 'required')
    return (params.requiredProperties as readonly string[]).map((name) => [name, 'is required'])
  const name = instancePath.split('/')[1] ?? ''
  if (keyword === 'boolean')
    return [[name, `is not a known field (expected: ${Object.keys(members).join(', ')})`]]
  return [[name, `must be ${members[name]?.description ?? 'of another type'}`]]
}
