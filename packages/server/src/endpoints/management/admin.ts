/** Accounts as operators manage them. Tiers are in `tiers.ts`. */
import { Type } from 'typebox'
import { createCustomer, editCustomer, getCustomer, listCustomers } from '../../domain/accounts/customers.ts'
import {
  blacklistCustomer,
  removeCustomer,
  replaceApiKey,
  unblacklistCustomer,
} from '../../domain/accounts/operators.ts'
import { Refused } from '../../domain/refusals.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import {
  Count,
  CursorPage,
  Customer,
  CustomerParams,
  Done,
  Email,
  Flag,
  given,
  Milliseconds,
  maybe,
  members,
  Next,
  Note,
  Yes,
} from '../shapes.ts'

const CustomerAnswer = Type.Object({ success: Yes, customer: Customer })

const create = endpoint({
  name: 'admin.customers.create',
  summary: 'Create an account; its API key is in the answer and shown nowhere else.',
  method: 'POST',
  path: '/v1/admin/customers',
  auth: 'admin',
  scope: 'admin',
  params: Nothing,
  query: Nothing,
  body: members({ email: Email, tier: maybe(Count), plan_expires: maybe(Milliseconds) }),
  response: Type.Object({ success: Yes, customer: Customer, api_key: Type.String() }),
  failures: { email_already_taken: 0, unknown_tier: 1 },
  async handle({ body }, deps) {
    const created = await createCustomer(deps, { ...given(body), email: body.email })
    return created instanceof Refused ? created : { customer: created.customer, api_key: created.apiKey }
  },
})

const list = endpoint({
  name: 'admin.customers.list',
  summary: 'List the accounts.',
  method: 'GET',
  path: '/v1/admin/customers',
  auth: 'admin',
  scope: 'admin',
  params: Nothing,
  query: CursorPage,
  body: Nothing,
  response: Type.Object({ success: Yes, customers: Type.Array(Customer), total: Type.Integer(), next: Next }),
  failures: {},
  handle: ({ query }, deps) => listCustomers(deps, given(query)),
})

const get = endpoint({
  name: 'admin.customers.get',
  summary: 'Get an account.',
  method: 'GET',
  path: '/v1/admin/customers/:id',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  query: Nothing,
  body: Nothing,
  response: CustomerAnswer,
  failures: {},
  async handle({ params }, deps) {
    const customer = await getCustomer(deps, params.id)
    return customer instanceof Refused ? customer : { customer }
  },
})

const edit = endpoint({
  name: 'admin.customers.edit',
  summary: 'Edit an account: its plan, bonus obfuscations, address or rights.',
  method: 'POST',
  path: '/v1/admin/customers/:id/edit',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  query: Nothing,
  body: members({
    email: maybe(Email),
    tier: maybe(Count),
    plan_expires: maybe(Milliseconds),
    bonus_obfuscations_left: maybe(Count),
    verified: maybe(Flag),
    admin: maybe(Flag),
  }),
  response: CustomerAnswer,
  failures: { cannot_edit_nothing: 0, email_already_taken: 1, unknown_tier: 2 },
  async handle({ params, body }, deps) {
    const customer = await editCustomer(deps, params.id, given(body))
    return customer instanceof Refused ? customer : { customer }
  },
})

const blacklist = endpoint({
  name: 'admin.customers.blacklist',
  summary: 'Blacklist an account until a time or for ever; its key is refused and its sessions end at once.',
  method: 'POST',
  path: '/v1/admin/customers/:id/blacklist',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  query: Nothing,
  body: members({ expires: maybe(Milliseconds), reason: maybe(Note) }),
  response: Done,
  failures: { customer_already_blacklisted: 0 },
  async handle({ params, body }, deps) {
    return (await blacklistCustomer(deps, params.id, given(body))) ?? {}
  },
})

const unblacklist = endpoint({
  name: 'admin.customers.unblacklist',
  summary: 'End the blacklist of an account.',
  method: 'POST',
  path: '/v1/admin/customers/:id/unblacklist',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  query: Nothing,
  body: Nothing,
  response: Done,
  failures: { customer_not_blacklisted: 0 },
  async handle({ params }, deps) {
    return (await unblacklistCustomer(deps, params.id)) ?? {}
  },
})

const resetKey = endpoint({
  name: 'admin.customers.resetKey',
  summary: 'Replace the API key of an account at once; the new one is in the answer and shown nowhere else.',
  method: 'POST',
  path: '/v1/admin/customers/:id/reset',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: Yes, api_key: Type.String() }),
  failures: {},
  async handle({ params }, deps) {
    const apiKey = await replaceApiKey(deps, params.id)
    return apiKey instanceof Refused ? apiKey : { api_key: apiKey }
  },
})

const remove = endpoint({
  name: 'admin.customers.remove',
  summary: 'Remove an account with its projects and everything in them.',
  method: 'POST',
  path: '/v1/admin/customers/:id/remove',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  query: Nothing,
  body: Nothing,
  response: Done,
  failures: {},
  async handle({ params }, deps) {
    return (await removeCustomer(deps, params.id)) ?? {}
  },
})

export const admin: readonly Endpoint[] = [create, list, get, edit, blacklist, unblacklist, resetKey, remove]
