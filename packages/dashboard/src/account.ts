/** Whose account an API key opens, asked of the service. */
import { connect, ServiceError, v1AccountGet } from '@scriptward/sdk'
import { text } from './text.ts'

/** `refusal` is what to show: the key is not known, or the service refuses it or cannot be reached. */
export type Account = { readonly email: string } | { readonly refusal: string }

export async function findAccount(apiKey: string): Promise<Account> {
  try {
    const client = connect({ baseUrl: location.origin, apiKey })
    const { data } = await v1AccountGet({ client, throwOnError: true })
    return { email: data.customer.email }
  } catch (error) {
    if (!(error instanceof ServiceError)) return { refusal: text.unreachable }
    return { refusal: error.status === 401 ? text.wrongKey : error.message }
  }
}
