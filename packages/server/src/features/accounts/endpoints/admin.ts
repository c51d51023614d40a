/** Endpoints for operators to manage accounts. Tiers are in `tiers.ts`. */
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
  milliseconds,
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
  summary: 'Create an account',
  description:
    'Creates an account and returns its API key, which is not shown again. Without `tier`, the account is on tier 0; without `plan_expires`, it never expires. To let someone sign in to it, create a setup link on the command line.',
  example: { body: { email: 'owner@shop.example.com', tier: 1 } },
  method: 'POST',
  path: '/v1/admin/customers',
  auth: 'admin',
  scope: 'admin',
  requiresRecentAuth: true,
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
  summary: 'List accounts',
  description:
    'Returns all accounts on the server with their service tiers and totals, in order of creation. Paginate with `after`, which is fast at any depth.',
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
  summary: 'Retrieve an account',
  description:
    'Returns the same details that the account itself can retrieve from `/v1/account`: its service tier, its totals and whether it is blacklisted. API keys are only stored as hashes and cannot be retrieved.',
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
  summary: 'Update an account',
  description:
    "Changes an account's service tier, expiry, bonus obfuscations, email address or permissions. `admin` makes it an operator account with access to all accounts. Only an owner of an operator account can edit, blacklist or remove operator accounts or replace their keys.",
  example: { body: { tier: 1, plan_expires: 1_798_761_600_000 } },
  method: 'POST',
  path: '/v1/admin/customers/:id/edit',
  auth: 'admin',
  scope: 'admin',
  requiresRecentAuth: true,
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
  summary: 'Blacklist an account',
  description:
    "Locks out an account, including its members and tokens, ends its sessions, and denies its users' runs, permanently or until `expires`. Nothing is deleted. The account can see the reason.",
  example: { body: { reason: 'did not pay', expires: 1_798_761_600_000 } },
  method: 'POST',
  path: '/v1/admin/customers/:id/blacklist',
  auth: 'admin',
  scope: 'admin',
  params: CustomerParams,
  body: members({
    expires: maybe(
      milliseconds('expiry of the blacklist, in Unix milliseconds. 0 or null makes it permanent'),
    ),
    reason: maybe(Type.String({ ...Note, description: 'reason for the blacklist, shown to the account' })),
  }),
  response: Done,
  failures: { customer_already_blacklisted: 0 },
  async handle({ params, body, caller }, deps) {
    const refused = await refuseOperators(deps, caller, params)
    return refused ?? (await blacklistCustomer(deps, params.id, given(body))) ?? {}
  },
})

const unblacklist = endpoint({
  name: 'admin.customers.unblacklist',
  summary: 'Unblacklist an account',
  description:
    'Restores access for an account, with the same API key, tokens and data. Temporary blacklists expire on their own; use this to lift them early.',
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
  summary: "Replace an account's API key",
  description:
    'Replaces a lost or stolen API key and returns the new one, which is not shown again. The previous key stops working immediately. Send the new key through a private channel.',
  method: 'POST',
  path: '/v1/admin/customers/:id/reset',
  auth: 'admin',
  scope: 'admin',
  requiresRecentAuth: true,
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
  summary: 'Remove an account',
  description:
    'Permanently removes an account with its projects, scripts, users, tokens and memberships. User accounts are kept, because they may be members of other accounts. The audit log is also kept. A removed account can only be restored from a backup.',
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
