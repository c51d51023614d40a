/** Options and helpers shared by the generated methods. */
import type { Client } from './generated/client/index.ts'

export type CallOptions = {
  /** Cancels the call. The call then throws the signal's reason. */
  readonly signal?: AbortSignal
}

export type ChangeOptions = CallOptions & {
  /**
   * Makes a change safe to retry: within a day, the same call with the same idempotency key returns the first
   * response again.
   */
  readonly idempotencyKey?: string
}

export function settingsOf(client: Client, { signal, idempotencyKey }: ChangeOptions = {}) {
  const headers = idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }
  return { client, throwOnError: true as const, ...(signal ? { signal } : {}), ...headers }
}

export async function dataOf<Data>(response: Promise<{ readonly data: Data }>): Promise<Data> {
  return (await response).data
}
