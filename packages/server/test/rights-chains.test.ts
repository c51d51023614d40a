/**
 * Tests privilege escalation in up to three calls. Each credential of a caller tries every call that issues
 * credentials or permissions; the resulting credentials are collected, and each of them tries every call
 * again. After three rounds, every sequence of up to three calls has been tried, and the caller must have no
 * permissions beyond the initial ones.
 */
import { createHash, randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { ROLES, type Role } from '../src/features/access/roles.ts'
import { ALL_SCOPES, scopesOfAccount } from '../src/features/access/scopes.ts'
import type { Answer } from './answers.ts'
import { anyEngine } from './databases.ts'
import { type Owner, serverOn, type TestServer } from './harness.ts'
import { createProject } from './nouns.ts'
import { type Browser, browserAfter, browserOf, browserWith } from './people/browsers.ts'
import { createPerson, type Seat } from './people.ts'

const ROUNDS = 3
const REVOKE_OWN = '/v1/me/revoke'
const PASSWORD = 'a long and quiet sentence'
const VERIFIER = 'v'.repeat(64)
const STATE = 's'.repeat(32)
const OWN_ROLES = Object.keys(ROLES).filter((role) => role !== 'owner') as Exclude<Role, 'custom' | 'owner'>[]

/** The `/v1/me` response for a credential. */
type Me = {
  readonly kind: string
  readonly role: string | null
  readonly scopes: readonly string[]
  readonly account: { readonly id: string } | null
}
type Held = { readonly how: string; readonly use: Browser; readonly me: Me }
/** An account with owners, one of their tokens, and a caller who tries to gain permissions. */
type Scene = {
  readonly owner: Owner
  readonly owners: readonly { readonly memberId: string; readonly personId: string }[]
  readonly tokenId: string
  readonly accomplice: { readonly memberId: string; readonly personId: string; readonly use: Browser }
  readonly ownMemberId: string
  readonly ownPersonId: string
}
type Move = readonly [
  name: string,
  make: (use: Browser, scene: Scene, at: TestServer) => Promise<readonly (Browser | undefined)[]>,
]

const keyIn = (at: TestServer, answer: Answer): Browser | undefined =>
  answer.status === 200 ? at.client(answer.string('api_key')) : undefined
const tokenIn = (at: TestServer, answer: Answer): Browser | undefined =>
  answer.status === 200 ? at.client(answer.string('secret')) : undefined
const secretOf = (link: string) => link.split('/').at(-1) ?? ''

/** Uses a separate network, so that per-network rate limits do not interfere. */
const stranger = (at: TestServer) =>
  browserWith(at, { 'x-forwarded-for': [203, ...randomBytes(3)].join('.') })

/** Invites someone who is already signed in, and continues as that user. */
async function throughInvitation(at: TestServer, use: Browser, seat: object): Promise<Browser | undefined> {
  const invited = await createPerson(at)
  const answer = await use.post('/v1/members/invite', { email: invited.email, ...seat })
  if (answer.status !== 200) return undefined
  const theirs = await browserOf(at, invited)
  const accepted = await theirs.post('/v1/auth/invitation', { link: secretOf(answer.string('link')) })
  return accepted.status === 200 ? browserAfter(at, accepted) : undefined
}

async function throughReset(at: TestServer, answer: Answer): Promise<Browser | undefined> {
  if (answer.status !== 200) return undefined
  const body = { link: secretOf(answer.string('link')), password: PASSWORD }
  return browserAfter(at, await stranger(at).post('/v1/auth/reset', body))
}

const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`

const invites: readonly Move[] = (['owner', 'admin', 'developer', 'custom'] as const).map((role) => [
  `invite ${role}`,
  async (use, _, at) => {
    const scopes = role === 'custom' ? { scopes: ALL_SCOPES } : {}
    return [await throughInvitation(at, use, { role, ...scopes })]
  },
])

const edits: readonly Move[] = (['owner', 'admin', 'custom'] as const).map((role) => [
  `make members ${role}`,
  async (use, { ownMemberId, accomplice }) => {
    const body = { role, ...(role === 'custom' ? { scopes: ALL_SCOPES } : {}) }
    for (const id of [ownMemberId, accomplice.memberId]) await use.post(`/v1/members/${id}/edit`, body)
    return [accomplice.use]
  },
])

const scopeLists = [ALL_SCOPES, ALL_SCOPES.filter((one) => one !== 'admin')]
const tokens: readonly Move[] = scopeLists.flatMap((scopes, index): Move[] => [
  [
    `make a token ${index}`,
    async (use, _, at) => [tokenIn(at, await use.post('/v1/tokens/new', { name: 'T', scopes }))],
  ],
  [
    `allow a command line ${index}`,
    async (use, _, at) => {
      const code_challenge = createHash('sha256').update(VERIFIER).digest('base64url')
      const asked = { name: 'C', scopes, port: 4000, state: STATE, code_challenge }
      const { status, body } = await use.post('/v1/auth/command-line', asked)
      if (status !== 200) return []
      const code = new URL(String(body.redirect_to)).searchParams.get('code')
      const exchange = { code, code_verifier: VERIFIER }
      return [tokenIn(at, await stranger(at).post('/v1/tokens/exchange', exchange))]
    },
  ],
])

const operating: readonly Move[] = [
  [
    'replace the key as operator',
    async (use, { owner }, at) => [keyIn(at, await use.post(`/v1/admin/customers/${owner.id}/reset`))],
  ],
  [
    'make an account of operators',
    async (use, _, at) => {
      const made = await use.post('/v1/admin/customers', { email: newEmail() })
      if (made.status !== 200) return []
      const { id } = made.body.customer as { id: string }
      await use.post(`/v1/admin/customers/${id}/edit`, { admin: true })
      return [keyIn(at, made)]
    },
  ],
  [
    'reset the sign-in of people',
    async (use, { owners, accomplice, ownPersonId }, at) => {
      const made: (Browser | undefined)[] = []
      for (const id of [...owners.map(({ personId }) => personId), accomplice.personId, ownPersonId]) {
        const answer = await use.post(`/v1/admin/people/${id}/reset`, { factors: true })
        if (id !== ownPersonId) made.push(await throughReset(at, answer))
      }
      return made
    },
  ],
  [
    'object for people',
    async (use, { accomplice, ownPersonId }, at) => {
      for (const id of [accomplice.personId, ownPersonId]) {
        const answer = await use.post(`/v1/admin/people/${id}/objection`)
        if (answer.status === 200)
          await stranger(at).post('/v1/auth/objection', { link: secretOf(answer.string('link')) })
      }
      return [accomplice.use]
    },
  ],
  [
    'disable the owners',
    async (use, { owners }) => {
      for (const { personId } of owners) await use.post(`/v1/admin/people/${personId}/disable`)
      return []
    },
  ],
]

const MOVES: readonly Move[] = [
  ['replace the key', async (use, _, at) => [keyIn(at, await use.post('/v1/account/reset'))]],
  ...tokens,
  [
    'rotate the token of an owner',
    async (use, { tokenId }, at) => [tokenIn(at, await use.post(`/v1/tokens/${tokenId}/rotate`))],
  ],
  ...invites,
  ...edits,
  [
    'lower and remove the owners',
    async (use, { owners }) => {
      for (const { memberId } of owners) {
        await use.post(`/v1/members/${memberId}/edit`, { role: 'reader' })
        await use.post(`/v1/members/${memberId}/remove`)
      }
      return []
    },
  ],
  ...operating,
]

const meOf = async (use: Browser): Promise<Me | undefined> => {
  const { status, body } = await use.get('/v1/me')
  return status === 200 ? (body as unknown as Me) : undefined
}
/** Credentials with equal permissions lead to the same results, so only one of each kind is tried. */
const kindOf = ({ kind, role, scopes, account }: Me) =>
  JSON.stringify([kind, role, [...scopes].sort(), account?.id])

async function tryOne(
  made: Promise<readonly (Browser | undefined)[]>,
  how: string,
  keep: (got: Browser | undefined, how: string) => Promise<void>,
): Promise<void> {
  for (const got of await made) await keep(got, how)
}

async function reach(at: TestServer, scene: Scene, first: Held): Promise<Held[]> {
  const held = [first]
  const known = new Set([kindOf(first.me)])
  const keep = async (got: Browser | undefined, how: string) => {
    const me = got && (await meOf(got))
    if (!got || !me) return
    // The number of tokens per account is limited, and one of each kind is enough.
    if (known.has(kindOf(me))) return me.kind === 'token' ? void (await got.post(REVOKE_OWN)) : undefined
    known.add(kindOf(me))
    held.push({ how, use: got, me })
  }
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const { use, how } of [...held])
      for (const [name, make] of MOVES) await tryOne(make(use, scene, at), `${how} → ${name}`, keep)
  return held
}

describe.each(anyEngine)('three calls of any caller on $name', (engine) => {
  const { at } = serverOn(engine, { config: { trustProxy: ['127.0.0.1'] } })

  const memberOf = async (owner: Owner, personId: string) => {
    const { members } = (await owner.get('/v1/members')).body as {
      members: { id: string; person: { id: string } }[]
    }
    return members.find(({ person }) => person.id === personId)?.id ?? ''
  }
  const withPerson = async (owner: Owner, seat: Seat) => {
    const person = await createPerson(at(), owner.id, seat)
    const use = await browserOf(at(), person)
    return { personId: person.id, memberId: await memberOf(owner, person.id), use }
  }
  const ownersOf = async (owner: Owner) =>
    (await at().deps.db.read.selectFrom('members').selectAll().where('customer_id', '=', owner.id).execute())
      .filter(({ role }) => role === 'owner')
      .map(({ person_id }) => person_id)

  describe.each([
    ['an account', 0],
    ['an operator account', 1],
  ])('in %s', (_, admin) => {
    const available = [...scopesOfAccount({ admin })]
    let owner: Owner
    let base: Omit<Scene, 'ownMemberId' | 'ownPersonId' | 'accomplice'>
    beforeEach(async () => {
      owner = await at().createCustomer()
      if (admin) await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { admin: true })
      const made = await owner.post('/v1/tokens/new', { name: 'All', scopes: available })
      const owners = [await withPerson(owner, { role: 'owner' }), await withPerson(owner, { role: 'owner' })]
      base = { owner, owners, tokenId: (made.body.token as { id: string }).id }
    })
    /** The accomplice has only one of the caller's permissions, so that any gain is visible. */
    const holdTo = async (first: Browser, seat: { personId: string; memberId: string }) => {
      const me = await meOf(first)
      if (!me) throw new Error('the caller is nobody')
      const accomplice = await withPerson(owner, { role: 'custom', scopes: me.scopes.slice(0, 1) })
      const scene = { ...base, accomplice, ownMemberId: seat.memberId, ownPersonId: seat.personId }
      const before = await ownersOf(owner)
      const held = await reach(at(), scene, { how: 'begin', use: first, me })
      const mattering = held.filter(
        ({ me: got }) => got.account?.id === owner.id || got.scopes.includes('admin'),
      )
      const beyond = mattering.filter(
        ({ me: got }) =>
          got.role === 'owner' ||
          got.kind === 'api_key' ||
          got.scopes.some((one) => !me.scopes.includes(one)),
      )
      expect(beyond.map(({ how, me: got }) => `${how}: ${got.kind} ${got.role ?? ''}`)).toEqual([])
      expect(await ownersOf(owner)).toEqual(before)
      const disabled = await at()
        .deps.db.read.selectFrom('people')
        .select('id')
        .where('disabled', '=', 1)
        .execute()
      expect(disabled).toEqual([])
    }

    it.each(OWN_ROLES)('neither turn the role %s into an owner nor add scopes', async (role) => {
      const seat = role === 'reseller' ? { role, projects: [await createProject(owner)] } : { role }
      const person = await withPerson(owner, seat)
      await holdTo(person.use, person)
    })

    it('neither turn a custom role with every permission into an owner nor add scopes', async () => {
      const person = await withPerson(owner, { role: 'custom', scopes: available })
      await holdTo(person.use, person)
    })

    it.each([
      ['every scope', () => available],
      ['the scopes for members and tokens', () => ['members:write', 'tokens:write']],
      [
        'the scopes of an operator',
        () => available.filter((one) => one === 'admin' || one === 'account:read'),
      ],
    ])('neither make a token with %s an owner nor give it more scopes', async (_name, scopesOf) => {
      const made = await owner.post('/v1/tokens/new', { name: 'Own', scopes: scopesOf() })
      const nobody = { memberId: 'mem_none', personId: 'psn_none' }
      await holdTo(at().client(made.string('secret')), nobody)
    })
  })
})
