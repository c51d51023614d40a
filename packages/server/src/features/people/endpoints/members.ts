/** Endpoints for an account's members and invitations, and for the available scopes and roles. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { ROLE_NAMES, ROLES } from '../../access/roles.ts'
import { ALL_SCOPES, SCOPES, withIncluded } from '../../access/scopes.ts'
import { invitationsOf, invite, withdrawInvitation } from '../invitations.ts'
import { editMember, leaveAccount, membersOf, removeMember } from '../members.ts'

const Scope = Type.Enum([...ALL_SCOPES], { description: 'scope, as listed by GET /v1/scopes' })
const Role = Type.Enum([...ROLE_NAMES])
const Scopes = Type.Array(Scope, { maxItems: 100 })
const Projects = Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 100 })
const MaxKeys = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description:
    "for resellers: maximum number of keys they can have issued at a time. Null if only the service tier's limit applies",
})

/** Fields shared by members and invitations. */
const Seat = {
  role: Role,
  scopes: Type.Array(Scope, { description: 'scopes of the role, including implied ones' }),
  projects: shape.nullable(
    Type.Array(Type.String(), {
      description: 'IDs of the projects the member can access. Null if they can access all projects',
    }),
  ),
  max_keys: shape.nullable(Type.Integer()),
}
const Member = shape.named('Member', {
  id: Type.String(),
  person: Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() }),
  ...Seat,
  created_at: shape.Milliseconds,
  last_sign_in_at: shape.nullable(shape.Milliseconds),
  has_second_factor: shape.Flag,
})
const Invitation = shape.named('Invitation', {
  id: Type.String(),
  email: Type.String(),
  ...Seat,
  invited_by: Type.String({
    description: 'sender of the invitation: an email address, or the name of a token or API key',
  }),
  created_at: shape.Milliseconds,
  expires_at: shape.Milliseconds,
})
/** Fields of an edit. A missing field stays unchanged, whereas null is a value. */
const SeatEdit = {
  scopes: Type.Optional(Scopes),
  projects: Type.Optional(shape.nullable(Projects)),
  max_keys: Type.Optional(shape.nullable(MaxKeys)),
}
const MemberParams = Type.Object({ member_id: Type.String() })

const scopes = endpoint({
  name: 'v1.scopes.list',
  summary: 'List scopes and roles',
  description:
    'Returns all scopes with a description, and the scopes of each role, for building permission forms. A scope that includes others, such as a write scope, also grants those.',
  example: {
    answer: {
      success: true,
      scopes: [{ name: 'projects:read', description: 'Read projects.' }],
      roles: [{ name: 'reader', scopes: ['projects:read', 'scripts:read'] }],
    },
  },
  method: 'GET',
  path: '/v1/scopes',
  auth: 'caller',
  scope: null,
  response: Type.Object({
    success: shape.Yes,
    scopes: Type.Array(Type.Object({ name: Scope, description: Type.String() })),
    roles: Type.Array(Type.Object({ name: Role, scopes: Type.Array(Scope) })),
  }),
  async handle() {
    return {
      scopes: ALL_SCOPES.map((name) => ({ name, description: SCOPES[name] })),
      roles: ROLE_NAMES.filter((name) => name !== 'custom').map((name) => {
        const given = withIncluded(ROLES[name])
        return { name, scopes: ALL_SCOPES.filter((one) => given.has(one)) }
      }),
    }
  },
})

const list = endpoint({
  name: 'v1.members.list',
  summary: 'List members',
  description:
    'Returns the members of the account with their role, projects, last sign-in and second factors, and all pending invitations, in a single response.',
  method: 'GET',
  path: '/v1/members',
  auth: 'customer',
  scope: 'members:read',
  response: Type.Object({
    success: shape.Yes,
    members: Type.Array(Member),
    invitations: Type.Array(Invitation),
  }),
  async handle({ subject }, deps) {
    const [members, invitations] = [await membersOf(deps, subject), await invitationsOf(deps, subject)]
    return { members, invitations }
  },
})

const inviting = endpoint({
  name: 'v1.members.invite',
  summary: 'Invite a member',
  description:
    'Invites someone by email address. The link works once, within seven days, and only for a person with this address. It is emailed if the server can send email, and returned here so that you can pass it on. The role may not exceed your own permissions, and only signed-in owners can invite owners. While an account has no owner, its API key can invite the first one.',
  example: { body: { email: 'grace@shop.example.com', role: 'support' } },
  method: 'POST',
  path: '/v1/members/invite',
  auth: 'customer',
  scope: 'members:write',
  event: 'member_invited',
  requiresRecentAuth: true,
  body: shape.members({ email: shape.Email, role: Role, ...SeatEdit }),
  response: Type.Object({
    success: shape.Yes,
    invitation: Invitation,
    link: Type.String({ description: 'invitation link. Only returned here' }),
  }),
  failures: {
    already_member: 0,
    already_invited: 1,
    max_members_reached: 2,
    max_invitations_reached: 3,
    owners_only: 4,
    beyond_own_rights: 5,
  },
  async handle({ subject: customer, caller, body }, deps) {
    const { email, role, scopes = [], projects = null, max_keys = null } = body
    const invited = await invite(deps, { customer, caller }, { email, role, scopes, projects, max_keys })
    return invited
  },
})

const edit = endpoint({
  name: 'v1.members.edit',
  summary: 'Update a member',
  description:
    'Changes the role or projects of a member, effective with their next request. Tokens they created and invitations they sent lose any access beyond the new permissions. The last owner cannot be changed. Only signed-in owners can edit owners; an owner who loses the role is notified by email and can restore it for seven days.',
  example: { body: { role: 'reader' } },
  method: 'POST',
  path: '/v1/members/:member_id/edit',
  auth: 'customer',
  scope: 'members:write',
  event: 'member_edited',
  requiresRecentAuth: true,
  params: MemberParams,
  body: shape.members({ role: Type.Optional(Role), ...SeatEdit }),
  response: shape.Done,
  failures: {
    last_owner: 0,
    owners_only: 1,
    beyond_own_rights: 2,
    cannot_edit_nothing: 3,
    owner_protected: 4,
  },
  async handle({ subject: customer, caller, params, body }, deps) {
    return (await editMember(deps, { customer, caller }, params.member_id, body)) ?? {}
  },
})

const remove = endpoint({
  name: 'v1.members.remove',
  summary: 'Remove a member',
  description:
    'Removes a member immediately, revokes the tokens they created and withdraws their invitations. Projects, scripts and users are not affected. Only signed-in owners can remove owners; a removed owner is notified by email and can restore their ownership for seven days. The last owner cannot be removed.',
  method: 'POST',
  path: '/v1/members/:member_id/remove',
  auth: 'customer',
  scope: 'members:write',
  event: 'member_removed',
  requiresRecentAuth: true,
  params: MemberParams,
  response: shape.Done,
  failures: { last_owner: 0, owners_only: 1, beyond_own_rights: 2, owner_protected: 3 },
  async handle({ subject: customer, caller, params }, deps) {
    return (await removeMember(deps, { customer, caller }, params.member_id)) ?? {}
  },
})

const leave = endpoint({
  name: 'v1.members.leave',
  summary: 'Leave the account',
  description:
    'Ends your membership in the current account, revokes your tokens and withdraws your invitations. The last owner cannot leave: make another member an owner first. You need a new invitation to return, except that an owner who left can restore their ownership for seven days.',
  method: 'POST',
  path: '/v1/members/leave',
  auth: 'person',
  scope: null,
  event: 'member_removed',
  requiresRecentAuth: true,
  response: shape.Done,
  failures: { last_owner: 0 },
  async handle({ subject }, deps) {
    return (await leaveAccount(deps, subject)) ?? {}
  },
})

const withdraw = endpoint({
  name: 'v1.invitations.withdraw',
  summary: 'Withdraw an invitation',
  description:
    "Withdraws a pending invitation. Its link stops working immediately, and the email address can be invited again. Only owners can withdraw an owner's invitation.",
  method: 'POST',
  path: '/v1/invitations/:invitation_id/withdraw',
  auth: 'customer',
  scope: 'members:write',
  params: Type.Object({ invitation_id: Type.String() }),
  response: shape.Done,
  failures: { owners_only: 0, beyond_own_rights: 1 },
  async handle({ subject: customer, caller, params }, deps) {
    return (await withdrawInvitation(deps, { customer, caller }, params.invitation_id)) ?? {}
  },
})

export const members: readonly Endpoint[] = [scopes, list, inviting, edit, remove, leave, withdraw]
