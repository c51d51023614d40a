/**
 * Signing in, and managing sign-in methods. Endpoints below `/v1/auth/` are only for browsers, so they are
 * not in the SDK. The types match the server's OpenAPI document.
 */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { Calling } from './api.ts'

type Options = {
  readonly sign_up: 'off' | 'invite' | 'open'
  readonly mail: boolean
  readonly second_factor_required: 'operators' | 'all' | 'none'
  readonly captcha: Captcha | null
}
/** The sign-up captcha: either a proof of work, or an external page that returns a result. */
export type Captcha =
  | { readonly kind: 'pow'; readonly challenge: string; readonly bits: number }
  | { readonly kind: 'external'; readonly page: string }
export type Proof = { readonly challenge?: string; readonly solution?: string; readonly answer?: string }
/** `ticket` is the pending-login token for 2FA. */
export type SignedIn = { readonly done: true } | { readonly done: false; readonly ticket: string }
type SetUpLook = {
  readonly purpose: 'set_up' | 'reset' | 'owner_objection'
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
export type Passkey = {
  readonly id: string
  readonly name: string
  readonly created_at: number
  readonly last_used_at: number | null
}
type RequestOptions = {
  readonly ticket: string
  readonly options: PublicKeyCredentialRequestOptionsJSON
}
export type CreationOptions = {
  readonly ticket: string
  readonly options: PublicKeyCredentialCreationOptionsJSON
}
type Done = Record<string, never>
/** The token that the command-line interface requested and the user granted. */
export type Permission = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly projects: readonly string[] | null
  readonly expires_at: number | null
  readonly port: number
  readonly state: string
  readonly code_challenge: string
}

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
  object: (call: Calling, link: string) => post<Done>(call, '/v1/auth/objection', { link }),
  signUpConfirm: (call: Calling, link: string) => post<Done>(call, '/v1/auth/sign-up/confirm', { link }),
  invitationLook: (call: Calling, link: string) =>
    post<InvitationLook>(call, '/v1/auth/invitation/look', { link }),
  acceptInvitation: (call: Calling, body: { link: string; name?: string; password?: string }) =>
    post<SignedIn>(call, '/v1/auth/invitation', body),
  switchAccount: (call: Calling, account_id: string) => post<Done>(call, '/v1/auth/account', { account_id }),
  editPerson: (call: Calling, body: { name: string }) => post<Done>(call, '/v1/auth/person/edit', body),
  editEmail: (call: Calling, email: string) => post<Done>(call, '/v1/auth/person/email', { email }),
  changePassword: (call: Calling, password: string) =>
    post<Done>(call, '/v1/auth/password/change', { password }),
  totpBegin: (call: Calling) => post<{ secret: string; uri: string }>(call, '/v1/auth/totp/begin'),
  totpFinish: (call: Calling, code: string) =>
    post<{ recovery_codes: string[] }>(call, '/v1/auth/totp/finish', { code }),
  totpRemove: (call: Calling) => post<Done>(call, '/v1/auth/totp/remove'),
  newRecoveryCodes: (call: Calling) =>
    post<{ recovery_codes: string[] }>(call, '/v1/auth/recovery-codes/new'),
  allowCommandLine: async (call: Calling, body: Permission) =>
    (await post<{ redirect_to: string }>(call, '/v1/auth/command-line', body)).redirect_to,
  passkeys: async (call: Calling) =>
    (await get<{ passkeys: readonly Passkey[] }>(call, '/v1/auth/passkeys')).passkeys,
  addPasskeyBegin: (call: Calling) => post<CreationOptions>(call, '/v1/auth/passkeys/add-begin'),
  addPasskeyFinish: (call: Calling, body: { ticket: string; response: unknown; name: string }) =>
    post<{ passkey: Passkey }>(call, '/v1/auth/passkeys/add-finish', body),
  renamePasskey: (call: Calling, id: string, name: string) =>
    post<Done>(call, `/v1/auth/passkeys/${id}/edit`, { name }),
  removePasskey: (call: Calling, id: string) => post<Done>(call, `/v1/auth/passkeys/${id}/remove`),
} as const

async function get<T>({ client }: Calling, url: string): Promise<T> {
  return (await client.get<T, unknown, true>({ url, throwOnError: true })).data as T
}

async function post<T>({ client }: Calling, url: string, body: object = {}): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return (await client.post<T, unknown, true>({ url, body, headers, throwOnError: true })).data as T
}
