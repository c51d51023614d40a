/** Queries for the signed-in user, and for the account's team members, tokens and audit log. */
import {
  type V1AuditListData,
  type V1AuditListResponse,
  type V1MembersEditData,
  type V1MembersInviteData,
  type V1MembersListResponse,
  type V1MeResponse,
  type V1ScopesListResponse,
  type V1SignInsListResponse,
  type V1TokensCreateData,
  type V1TokensEditData,
  type V1TokensListData,
  type V1TokensListResponse,
  v1AuditList,
  v1InvitationsWithdraw,
  v1Me,
  v1MembersEdit,
  v1MembersInvite,
  v1MembersLeave,
  v1MembersList,
  v1MembersRemove,
  v1ScopesList,
  v1SignInsEnd,
  v1SignInsEndOthers,
  v1SignInsList,
  v1TokensCreate,
  v1TokensEdit,
  v1TokensList,
  v1TokensRevoke,
  v1TokensRotate,
} from '@scriptward/sdk'
import type { Calling } from './api.ts'

export type Me = V1MeResponse
export type Person = NonNullable<Me['person']>
export type SignIn = V1SignInsListResponse['sign_ins'][number]
export type ScopeList = Pick<V1ScopesListResponse, 'scopes' | 'roles'>
export type Member = V1MembersListResponse['members'][number]
export type Invitation = V1MembersListResponse['invitations'][number]
export type Rights = Required<RightsEdit>
export type Token = V1TokensListResponse['tokens'][number]
export type RightsEdit = NonNullable<V1MembersEditData['body']>
type NewToken = V1TokensCreateData['body']
/** Scope names come from the API, so they are always valid. */
export type Scope = NewToken['scopes'][number]
export type Role = Rights['role']
export type TokenEdit = NonNullable<V1TokensEditData['body']>
export type AuditEntry = V1AuditListResponse['entries'][number]
export type AuditPage = Pick<V1AuditListResponse, 'entries' | 'next'>
export type AuditChange = AuditEntry['changes'][string]
export type AuditQuery = NonNullable<V1AuditListData['query']>

export const access = {
  me: async (call: Calling) => (await v1Me(call)).data,
  signIns: async (call: Calling) => (await v1SignInsList(call)).data.sign_ins,
  endSignIn: (call: Calling, sign_in_id: string) => v1SignInsEnd({ ...call, path: { sign_in_id } }),
  endOtherSignIns: (call: Calling) => v1SignInsEndOthers(call),
  scopes: async (call: Calling) => (await v1ScopesList(call)).data,
  members: async (call: Calling) => (await v1MembersList(call)).data,
  invite: async (call: Calling, body: V1MembersInviteData['body']) =>
    (await v1MembersInvite({ ...call, body })).data,
  editMember: (call: Calling, member_id: string, body: RightsEdit) =>
    v1MembersEdit({ ...call, path: { member_id }, body }),
  removeMember: (call: Calling, member_id: string) => v1MembersRemove({ ...call, path: { member_id } }),
  leave: (call: Calling) => v1MembersLeave(call),
  withdraw: (call: Calling, invitation_id: string) =>
    v1InvitationsWithdraw({ ...call, path: { invitation_id } }),
  tokens: async (call: Calling, query: NonNullable<V1TokensListData['query']>) =>
    (await v1TokensList({ ...call, query })).data,
  newToken: async (call: Calling, body: NewToken) => (await v1TokensCreate({ ...call, body })).data,
  editToken: (call: Calling, token_id: string, body: TokenEdit) =>
    v1TokensEdit({ ...call, path: { token_id }, body }),
  rotateToken: async (call: Calling, token_id: string, overlap_ms: number) =>
    (await v1TokensRotate({ ...call, path: { token_id }, body: { overlap_ms } })).data,
  revokeToken: (call: Calling, token_id: string) => v1TokensRevoke({ ...call, path: { token_id } }),
  audit: async (call: Calling, query: AuditQuery) => (await v1AuditList({ ...call, query })).data,
  auditCsv: async (call: Calling, query: AuditQuery) =>
    (await v1AuditList({ ...call, query: { ...query, format: 'csv' }, parseAs: 'text' }))
      .data as unknown as string,
} as const
