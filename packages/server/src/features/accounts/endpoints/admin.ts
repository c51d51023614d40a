/** Accounts as operators manage them. Tiers are in `tiers.ts`. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
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
} from '../../../api/shapes.ts'
import { createCustomer, editCustomer, getCustomer, listCustomers } from '../customers.ts'
import {
  blacklistCustomer,
  refuseOperators,
  removeCustomer,
  replaceApiKey,
  unblacklistCustomer,
} from '../operators.ts'

const CustomerAnswer = Type.Object({ success: Yes, customer: Customer })

const create = endpoint({
  name: 'admin.customers.create',
  summary: 'Create an account; its API key is in the answer and shown nowhere else.',
  description:
    'The account can be used at once with the API key of this answer, which is shown nowhere else. Without `tier` it is on tier 0, and without `plan_expires` its plan does not end. To let a person in, make a set-up link for it on the command line.',
  example: { body: { email: 'owner@shop.example.com', tier: 1 } },
  method: 'POST',
  path: '/v1/admin/customers',
  auth: 'admin',
  scope: 'admin',
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
  description:
    'Every account of the service with plan and totals, in order of creation. Page with `after`, which is quick at any depth.',
  method: 'GET',
  path: '/v1/admin/customers',
  auth: 'admin',
  scope: 'admin',
  query: CursorPage,
  response: Type.Object({ success: Yes, customers: Type.Array(Customer), total: Type.Integer(), next: Next }),
  handle: ({ query }, deps) => listCustomers(deps, given(query)),
})

const get = endpoint({
  name: 'admin.customers.get',
  summary: 'Get an account.',
  description:
    'What the account itself sees at `/v1/account`: plan, totals and whether it is blacklisted. Its API key is not known to the service either.',
  method: 'GET',
  path: '/v1/admin/customers/:id',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  response: CustomerAnswer,
  async handle({ params }, deps) {
    const customer = await getCustomer(deps, params.id)
    return customer instanceof Refused ? customer : { customer }
  },
})

const edit = endpoint({
  name: 'admin.customers.edit',
  summary: 'Edit an account: its plan, bonus obfuscations, address or rights.',
  description:
    'Moves an account to another plan, extends it, gives it obfuscations beyond the plan or changes its address. `admin` makes it an operator of this service, so give it to nobody who should not see every account. Accounts of operators are edited, blacklisted, removed and given another key only by an owner of one.',
  example: { body: { tier: 1, plan_expires: 1_798_761_600_000 } },
  method: 'POST',
  path: '/v1/admin/customers/:id/edit',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
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
  async handle({ params, body, caller }, deps) {
    const refused = await refuseOperators(deps, caller, {
      ...params,
      admin: body.admin !== undefined && body.admin !== null,
    })
    if (refused) return refused
    const customer = await editCustomer(deps, params.id, given(body))
    return customer instanceof Refused ? customer : { customer }
  },
})

const blacklist = endpoint({
  name: 'admin.customers.blacklist',
  summary: 'Blacklist an account until a time or for ever; its key is refused and its sessions end at once.',
  description:
    'Keeps an account and all its people and tokens out, and its users from running anything, until `expires` or until it is undone. Nothing is deleted. The reason is for you and for the account.',
  example: { body: { reason: 'did not pay', expires: 1_798_761_600_000 } },
  method: 'POST',
  path: '/v1/admin/customers/:id/blacklist',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  body: members({ expires: maybe(Milliseconds), reason: maybe(Note) }),
  response: Done,
  failures: { customer_already_blacklisted: 0 },
  async handle({ params, body, caller }, deps) {
    const refused = await refuseOperators(deps, caller, params)
    return refused ?? (await blacklistCustomer(deps, params.id, given(body))) ?? {}
  },
})

const unblacklist = endpoint({
  name: 'admin.customers.unblacklist',
  summary: 'End the blacklist of an account.',
  description:
    'The account works again with the same API key, tokens and data. A blacklist with an end needs this only when it should end earlier.',
  method: 'POST',
  path: '/v1/admin/customers/:id/unblacklist',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  response: Done,
  failures: { customer_not_blacklisted: 0 },
  async handle({ params, caller }, deps) {
    const refused = await refuseOperators(deps, caller, params)
    return refused ?? (await unblacklistCustomer(deps, params.id)) ?? {}
  },
})

const resetKey = endpoint({
  name: 'admin.customers.resetKey',
  summary: 'Replace the API key of an account at once; the new one is in the answer and shown nowhere else.',
  description:
    'For an author who lost the API key or who had it stolen. The former key is refused from the next request on. Hand the new one over by a way that only its owner reads.',
  method: 'POST',
  path: '/v1/admin/customers/:id/reset',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  response: Type.Object({ success: Yes, api_key: Type.String() }),
  async handle({ params, caller }, deps) {
    const refused = await refuseOperators(deps, caller, params)
    if (refused) return refused
    const apiKey = await replaceApiKey(deps, params.id)
    return apiKey instanceof Refused ? apiKey : { api_key: apiKey }
  },
})

const remove = endpoint({
  name: 'admin.customers.remove',
  summary: 'Remove an account with its projects and everything in them.',
  description:
    'Removes the account for good with its projects, scripts, users, tokens and members; people stay, as they may be members elsewhere. The audit log keeps what happened in it. There is no way back but a backup.',
  method: 'POST',
  path: '/v1/admin/customers/:id/remove',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  response: Done,
  async handle({ params, caller }, deps) {
    const refused = await refuseOperators(deps, caller, params)
    return refused ?? (await removeCustomer(deps, params.id)) ?? {}
  },
})

export const admin: readonly Endpoint[] = [create, list, get, edit, blacklist, unblacklist, resetKey, remove]
