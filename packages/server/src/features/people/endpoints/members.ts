/** Who may do what in an account: its members, invitations, and the scopes and roles that there are. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { ROLE_NAMES, ROLES } from '../../access/roles.ts'
import { ALL_SCOPES, SCOPES, withIncluded } from '../../access/scopes.ts'
import { invitationsOf, invite, withdrawInvitation } from '../invitations.ts'
import { editMember, leaveAccount, membersOf, removeMember } from '../members.ts'

const Scope = Type.Enum([...ALL_SCOPES], { description: 'as GET /v1/scopes lists them' })
const Role = Type.Enum([...ROLE_NAMES])
const Scopes = Type.Array(Scope, { maxItems: 100 })
const Projects = Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 100 })
const MaxKeys = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description:
    'of a reseller: how many keys that they issued may exist at once; null for no limit but the plan’s',
})

/** What members and invitations hold. */
const Seat = {
  role: Role,
  scopes: Type.Array(Scope, { description: 'what the role allows, with what is included' }),
  projects: shape.nullable(Type.Array(Type.String(), { description: 'ids; null for all' })),
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
  invited_by: Type.String({ description: 'e-mail address of a person, or name of a token or key' }),
  created_at: shape.Milliseconds,
  expires_at: shape.Milliseconds,
})
/** Of an edit: absent means unchanged, so null keeps its meaning. */
const SeatEdit = {
  scopes: Type.Optional(Scopes),
  projects: Type.Optional(shape.nullable(Projects)),
  max_keys: Type.Optional(shape.nullable(MaxKeys)),
}
const MemberParams = Type.Object({ member_id: Type.String() })

const scopes = endpoint({
  name: 'v1.scopes.list',
  summary: 'List the scopes and the roles that there are.',
  description:
    'Every scope in one sentence, and what each role is allowed, for a form in which somebody chooses rights. A scope that includes others, such as writing, brings them along.',
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
  summary: 'List the members of the account and the invitations that wait.',
  description:
    'Who has which role, in which projects, when they last signed in and whether they have a second factor; and whom you invited without an answer yet. The list is short and comes whole.',
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
  summary: 'Invite a person by e-mail address; the link counts once, within seven days.',
  description:
    'The link is sent by mail where the service does that, and is in this answer for you to pass on. It can be used once, within seven days, by a person with this e-mail address. You cannot give a role that allows more than you may do, and only owners who are signed in invite owners. While an account has no owner, its API key invites the first one.',
  example: { body: { email: 'grace@shop.example.com', role: 'support' } },
  method: 'POST',
  path: '/v1/members/invite',
  auth: 'customer',
  scope: 'members:write',
  event: 'member_invited',
  fresh: true,
  body: shape.members({ email: shape.Email, role: Role, ...SeatEdit }),
  response: Type.Object({
    success: shape.Yes,
    invitation: Invitation,
    link: Type.String({ description: 'for the invited person; it is in no later answer' }),
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
  summary: 'Change what a member may do; what they gave beyond that to tokens and invitations ends.',
  description:
    'The new rights count for the next request of this person. Tokens that they made and invitations that they gave lose what goes beyond the new rights. The last owner stays owner. Owners are edited only by owners who are signed in; one who loses the role gets a mail and can object for seven days.',
  example: { body: { role: 'reader' } },
  method: 'POST',
  path: '/v1/members/:member_id/edit',
  auth: 'customer',
  scope: 'members:write',
  event: 'member_edited',
  fresh: true,
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
  summary: 'Remove a member, with the tokens that they made and the invitations that they gave.',
  description:
    'The person is out at once, on every page that they have open. Tokens that they made are revoked and invitations that they gave are withdrawn; projects, scripts and users stay. Owners are removed only by owners who are signed in. A removed owner gets a mail and can object for seven days. The last owner cannot be removed.',
  method: 'POST',
  path: '/v1/members/:member_id/remove',
  auth: 'customer',
  scope: 'members:write',
  event: 'member_removed',
  fresh: true,
  params: MemberParams,
  response: shape.Done,
  failures: { last_owner: 0, owners_only: 1, beyond_own_rights: 2, owner_protected: 3 },
  async handle({ subject: customer, caller, params }, deps) {
    return (await removeMember(deps, { customer, caller }, params.member_id)) ?? {}
  },
})

const leave = endpoint({
  name: 'v1.members.leave',
  summary: 'Leave the account that the signed-in person looks at.',
  description:
    'Gives up your own membership, tokens and invitations with it. The last owner cannot leave: make another member owner first. To come back you need a new invitation; an owner who left can object for seven days.',
  method: 'POST',
  path: '/v1/members/leave',
  auth: 'person',
  scope: null,
  event: 'member_removed',
  fresh: true,
  response: shape.Done,
  failures: { last_owner: 0 },
  async handle({ subject }, deps) {
    return (await leaveAccount(deps, subject)) ?? {}
  },
})

const withdraw = endpoint({
  name: 'v1.invitations.withdraw',
  summary: 'Withdraw an invitation that was not accepted.',
  description:
    'The link stops working at once, and the address can be invited again. An invitation of an owner can be withdrawn by owners alone.',
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
