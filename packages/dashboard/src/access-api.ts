/**
 * Signing in, and the people, tokens and changes of an account. What is under `/v1/auth/` is for browsers alone and
 * therefore not in the SDK; its shapes are those of the service's OpenAPI document.
 */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { Calling } from './api.ts'

export type Options = {
  readonly sign_up: 'off' | 'invite' | 'open'
  readonly mail: boolean
  readonly second_factor_required: 'operators' | 'all' | 'none'
  readonly captcha: Captcha | null
}
/** What the sign-up page has to solve: a proof of work, or a page that sends the answer back. */
export type Captcha =
  | { readonly kind: 'pow'; readonly challenge: string; readonly bits: number }
  | { readonly kind: 'external'; readonly page: string }
export type Proof = { readonly challenge?: string; readonly solution?: string; readonly answer?: string }
export type AccountChoice = { readonly id: string; readonly email: string; readonly role: string }
export type Person = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly language: string | null
  readonly has_password: boolean
  readonly has_second_factor: boolean
  readonly recovery_codes_left: number
  readonly must_add_factor: boolean
}
export type Me = {
  readonly kind: 'api_key' | 'token' | 'person'
  readonly name: string
  readonly scopes: readonly string[]
  readonly projects: readonly string[] | null
  readonly account: { readonly id: string; readonly email: string } | null
  readonly role: string | null
  readonly person: Person | null
  readonly accounts: readonly AccountChoice[]
}
/** `ticket` is for the second factor, when one is needed. */
export type SignedIn = { readonly done: true } | { readonly done: false; readonly ticket: string }
export type SetUpLook = {
  readonly purpose: 'set_up' | 'reset'
  readonly email: string | null
  readonly account: string | null
}
export type InvitationLook = {
  readonly email: string
  readonly account: string
  readonly role: string
  readonly invited_by: string
  readonly has_person: boolean
}
export type SignIn = {
  readonly id: string
  readonly current: boolean
  readonly created_at: number
  readonly last_used_at: number
  readonly network: string
  readonly browser: string
}
export type Passkey = {
  readonly id: string
  readonly name: string
  readonly created_at: number
  readonly last_used_at: number | null
}
export type RequestOptions = {
  readonly ticket: string
  readonly options: PublicKeyCredentialRequestOptionsJSON
}
export type CreationOptions = {
  readonly ticket: string
  readonly options: PublicKeyCredentialCreationOptionsJSON
}
export type Rights = {
  readonly role: string
  readonly scopes: readonly string[]
  readonly projects: readonly string[] | null
  readonly max_keys: number | null
}
export type Member = Rights & {
  readonly id: string
  readonly person: { readonly id: string; readonly email: string; readonly name: string }
  readonly created_at: number
  readonly last_sign_in_at: number | null
  readonly has_second_factor: boolean
}
export type Invitation = Rights & {
  readonly id: string
  readonly email: string
  readonly invited_by: string | null
  readonly created_at: number
  readonly expires_at: number
}
export type ScopeList = {
  readonly scopes: readonly { readonly name: string; readonly description: string }[]
  readonly roles: readonly { readonly name: string; readonly scopes: readonly string[] }[]
}
export type Token = {
  readonly id: string
  readonly name: string
  readonly start: string
  readonly scopes: readonly string[]
  readonly projects: readonly string[] | null
  readonly networks: readonly string[] | null
  readonly expires_at: number | null
  readonly created_at: number
  readonly created_by: string | null
  readonly last_used_at: number | null
  readonly last_used_network: string | null
  readonly previous_until: number | null
}
export type NewToken = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly projects?: readonly string[] | null
  readonly networks?: readonly string[] | null
  readonly expires_at?: number | null
}
export type AuditChange = { readonly before?: unknown; readonly after: unknown }
export type AuditEntry = {
  readonly id: string
  readonly created_at: number
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string }
  readonly network: string | null
  readonly request_id: string
  readonly action: string
  readonly nouns: Readonly<Record<string, string>>
  readonly changes: Readonly<Record<string, AuditChange>>
  readonly count: number | null
  /** Null until the entry has its place in the chain, for about a second. */
  readonly n: number | null
  readonly hash: string | null
}
type Done = Record<string, never>

export const auth = {
  options: (call: Calling) => get<Options>(call, '/v1/auth/options'),
  password: (call: Calling, body: { email: string; password: string }) =>
    post<SignedIn>(call, '/v1/auth/password', body),
  secondFactor: (call: Calling, body: { ticket: string; code: string }) =>
    post<SignedIn>(call, '/v1/auth/second-factor', body),
  passkeyBegin: (call: Calling) => post<RequestOptions>(call, '/v1/auth/passkeys/begin'),
  passkeyConfirm: (call: Calling, body: { ticket: string; response: unknown }) =>
    post<Done>(call, '/v1/auth/passkeys/confirm', body),
  passkeyFinish: (call: Calling, body: { ticket: string; response: unknown }) =>
    post<SignedIn>(call, '/v1/auth/passkeys/finish', body),
  signOut: (call: Calling) => post<Done>(call, '/v1/auth/sign-out'),
  confirm: (call: Calling, body: { password: string } | { code: string }) =>
    post<Done>(call, '/v1/auth/confirm', body),
  setUpLook: (call: Calling, link: string) => post<SetUpLook>(call, '/v1/auth/set-up/look', { link }),
  setUp: (call: Calling, body: { link: string; email: string; name: string; password: string }) =>
    post<Done>(call, '/v1/auth/set-up', body),
  setUpPasskeyBegin: (call: Calling, body: { link: string; email: string; name: string }) =>
    post<CreationOptions>(call, '/v1/auth/set-up/passkey-begin', body),
  setUpPasskeyFinish: (call: Calling, body: { ticket: string; response: unknown }) =>
    post<Done>(call, '/v1/auth/set-up/passkey-finish', body),
  askReset: (call: Calling, email: string) => post<Done>(call, '/v1/auth/reset/request', { email }),
  reset: (call: Calling, body: { link: string; password: string }) =>
    post<SignedIn>(call, '/v1/auth/reset', body),
  signUp: (call: Calling, body: { email: string; name: string; password: string; captcha?: Proof }) =>
    post<Done>(call, '/v1/auth/sign-up', body),
  signUpConfirm: (call: Calling, link: string) => post<Done>(call, '/v1/auth/sign-up/confirm', { link }),
  invitationLook: (call: Calling, link: string) =>
    post<InvitationLook>(call, '/v1/auth/invitation/look', { link }),
  acceptInvitation: (call: Calling, body: { link: string; name?: string; password?: string }) =>
    post<SignedIn>(call, '/v1/auth/invitation', body),
  switchAccount: (call: Calling, account_id: string) => post<Done>(call, '/v1/auth/account', { account_id }),
  editPerson: (call: Calling, body: { name?: string; language?: string | null }) =>
    post<Done>(call, '/v1/auth/person/edit', body),
  editEmail: (call: Calling, email: string) => post<Done>(call, '/v1/auth/person/email', { email }),
  changePassword: (call: Calling, password: string) =>
    post<Done>(call, '/v1/auth/password/change', { password }),
  totpBegin: (call: Calling) => post<{ secret: string; uri: string }>(call, '/v1/auth/totp/begin'),
  totpFinish: (call: Calling, code: string) =>
    post<{ recovery_codes: string[] }>(call, '/v1/auth/totp/finish', { code }),
  totpRemove: (call: Calling) => post<Done>(call, '/v1/auth/totp/remove'),
  newRecoveryCodes: (call: Calling) =>
    post<{ recovery_codes: string[] }>(call, '/v1/auth/recovery-codes/new'),
  passkeys: async (call: Calling) =>
    (await get<{ passkeys: readonly Passkey[] }>(call, '/v1/auth/passkeys')).passkeys,
  addPasskeyBegin: (call: Calling) => post<CreationOptions>(call, '/v1/auth/passkeys/add-begin'),
  addPasskeyFinish: (call: Calling, body: { ticket: string; response: unknown; name: string }) =>
    post<{ passkey: Passkey }>(call, '/v1/auth/passkeys/add-finish', body),
  renamePasskey: (call: Calling, id: string, name: string) =>
    post<Done>(call, `/v1/auth/passkeys/${id}/edit`, { name }),
  removePasskey: (call: Calling, id: string) => post<Done>(call, `/v1/auth/passkeys/${id}/remove`),
} as const

export const access = {
  me: (call: Calling) => get<Me>(call, '/v1/me'),
  signIns: async (call: Calling) =>
    (await get<{ sign_ins: readonly SignIn[] }>(call, '/v1/sign-ins')).sign_ins,
  endSignIn: (call: Calling, id: string) => post<Done>(call, `/v1/sign-ins/${id}/end`),
  endOtherSignIns: (call: Calling) => post<Done>(call, '/v1/sign-ins/end-others'),
  scopes: (call: Calling) => get<ScopeList>(call, '/v1/scopes'),
  members: (call: Calling) =>
    get<{ members: readonly Member[]; invitations: readonly Invitation[] }>(call, '/v1/members'),
  invite: (call: Calling, body: Partial<Rights> & { email: string; role: string }) =>
    post<{ invitation: Invitation; link: string }>(call, '/v1/members/invite', body),
  editMember: (call: Calling, id: string, body: Partial<Rights>) =>
    post<Done>(call, `/v1/members/${id}/edit`, body),
  removeMember: (call: Calling, id: string) => post<Done>(call, `/v1/members/${id}/remove`),
  leave: (call: Calling) => post<Done>(call, '/v1/members/leave'),
  withdraw: (call: Calling, id: string) => post<Done>(call, `/v1/invitations/${id}/withdraw`),
  tokens: (call: Calling, query: Query = {}) =>
    get<{ tokens: readonly Token[]; total: number; next: string | null }>(call, '/v1/tokens', query),
  newToken: (call: Calling, body: NewToken) =>
    post<{ token: Token; secret: string }>(call, '/v1/tokens/new', body),
  editToken: (call: Calling, id: string, body: Partial<NewToken>) =>
    post<{ token: Token }>(call, `/v1/tokens/${id}/edit`, body),
  rotateToken: (call: Calling, id: string, overlap_ms: number) =>
    post<{ token: Token; secret: string }>(call, `/v1/tokens/${id}/rotate`, { overlap_ms }),
  revokeToken: (call: Calling, id: string) => post<Done>(call, `/v1/tokens/${id}/revoke`),
  audit: (call: Calling, query: Query) =>
    get<{ entries: readonly AuditEntry[]; next: string | null }>(call, '/v1/audit', query),
  auditCsv: (call: Calling, query: Query) => getText(call, '/v1/audit', { ...query, format: 'csv' }),
} as const

type Query = Readonly<Record<string, string | number | undefined>>

async function get<T>({ client }: Calling, url: string, query: Query = {}): Promise<T> {
  return (await client.get<T, unknown, true>({ url, query: { ...query }, throwOnError: true })).data as T
}

async function getText({ client }: Calling, url: string, query: Query): Promise<string> {
  const asked = { url, query: { ...query }, parseAs: 'text', throwOnError: true } as const
  return (await client.get<string, unknown, true>(asked)).data as string
}

async function post<T>({ client }: Calling, url: string, body: object = {}): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return (await client.post<T, unknown, true>({ url, body, headers, throwOnError: true })).data as T
}
