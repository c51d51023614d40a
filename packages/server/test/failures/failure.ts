/** How a test provokes a "no" that an endpoint declares; the tables beside this file hold one way for each. */
import type { EndpointReason } from '../../src/domain/refusals.ts'
import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import type { Answer } from '../answers.ts'
import type { Client, NewCustomer, Owner, TestServer } from '../harness.ts'
import { type Furnished, furnish, type Nouns, pathOf } from '../subjects.ts'

export type Scene = {
  readonly server: TestServer
  /** Calls the endpoint in question, whichever family it is of; a GET has the members in its query. */
  call(client: Client, nouns: Nouns, body?: unknown): Promise<Answer>
  /** A customer with a project, a script and a user, and afterwards these changes to the account. */
  furnish(changes?: AccountChanges): Promise<Furnished>
  createCustomer(account?: NewCustomer): Promise<Owner>
}
type AccountChanges = { readonly tier?: number; readonly plan_expires?: number }

/** Endpoint name → reason → what provokes it. A name without `v1.` serves its twin under `/v1` too. */
export type Failures = Readonly<
  Record<string, Readonly<Partial<Record<EndpointReason, (scene: Scene) => Promise<Answer>>>>>
>

/** A time that is over before every test begins. */
export const LONG_AGO = 1_000_000_000_000

export function sceneOf(server: TestServer, endpoint: Endpoint): Scene {
  return {
    server,
    call: (client, nouns, body) => {
      const path = pathOf(endpoint, nouns)
      if (endpoint.method === 'GET') return client.get(`${path}${queryOf(body)}`)
      return endpoint.method === 'PUT' ? client.put(path, body) : client.post(path, body)
    },
    furnish: async (changes) => {
      const furnished = await furnish(server)
      if (changes) await server.admin.post(`/v1/admin/customers/${furnished.owner.id}/edit`, changes)
      return furnished
    },
    createCustomer: (account) => server.createCustomer(account),
  }
}

function queryOf(members: unknown = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(members as object))
    query.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  return query.size === 0 ? '' : `?${query}`
}
