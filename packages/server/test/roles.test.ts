/**
 * Tests the permissions of every role (with every kind of project access) and of tokens at every endpoint.
 * The expected result of each combination follows from the endpoint declarations and the list of roles, so a
 * new endpoint, scope or role is covered as soon as it is declared. Each request contains an unknown field. A
 * caller with permission therefore gets only an error about that field, and nothing changes.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { effort } from '../../client/test/effort.ts'
import type { Endpoint } from '../src/api/endpoint.ts'
import { endpoints } from '../src/endpoints.ts'
import { ROLES, type Role, scopesOfMember } from '../src/features/access/roles.ts'
import { ALL_SCOPES, type Scope, scopesOfAccount, withIncluded } from '../src/features/access/scopes.ts'
import { anyEngine } from './databases.ts'
import { type Client, serverOn } from './harness.ts'
import { createProject } from './nouns.ts'
import { createPerson, signIn } from './people.ts'
import { type Furnished, furnish, pathOf } from './subjects.ts'

/** The attributes of a caller that determine the response. */
type Given = {
  readonly kind: 'person' | 'token'
  readonly scopes: ReadonlySet<Scope>
  /** The accessible projects: all projects, the resources' project, or another project. */
  readonly reach: Reach
  readonly isStale?: true
}
type Reach = 'all' | 'this' | 'another'
type Ask = (endpoint: Endpoint) => Promise<string>

const REACHES: readonly Reach[] = ['all', 'this', 'another']
const MINUTE_MS = 60_000
const ROLE_NAMES = Object.keys(ROLES) as Exclude<Role, 'custom'>[]
const OF_NOUNS: ReadonlySet<string> = new Set(
  'project script user plan session adSystem adCheckpoint'.split(' '),
)
const OF_ACCOUNT: ReadonlySet<string> = new Set(['customer', 'account', 'admin'])
const asked = endpoints.filter(({ auth }) => auth !== 'none' && auth !== 'client')

/** `admitted`, or the error's reason. */
function expectedOf(endpoint: Endpoint, { kind, scopes, reach, isStale }: Given): string {
  const { auth, scope, filtersByProject, requiresRecentAuth, changes, issued } = endpoint
  // Issuers see only users whose keys they issued, and the user in the path is not one of them.
  const isIssuing = issued === true && scopes.has('users:issue') && !scopes.has('users:read')
  if (auth === 'customerByPathKey' || (changes && kind === 'person')) return 'unauthorized'
  if (scope !== null && !scopes.has(scope) && !isIssuing) return `forbidden ${scope}`
  if (OF_ACCOUNT.has(auth) && reach !== 'all' && scope !== null && !filtersByProject)
    return "forbidden access to all of the account's projects"
  if (requiresRecentAuth && isStale) return 'fresh_sign_in_needed'
  if (auth === 'person' && kind !== 'person') return 'forbidden a dashboard session'
  const isForeign = reach === 'another' || (isIssuing && auth === 'user')
  return OF_NOUNS.has(auth) && isForeign ? (endpoint.missing ?? 'not_found') : 'admitted'
}

/**
 * By day, each caller tries one endpoint in three. Callers take turns, so each role tries every endpoint. A
 * login that is not recent tries every endpoint that needs a recent one.
 */
const SHARES = effort({ day: 3, night: 1 })
const shareOf = (turn: number, { isStale }: Given) =>
  asked.filter(
    ({ requiresRecentAuth }, index) =>
      index % SHARES === turn % SHARES || (isStale && requiresRecentAuth === true),
  )

describe.each(anyEngine)('permissions on $name', (engine) => {
  const { at } = serverOn(engine)

  describe.each([
    ['an account', 0],
    ['an operator account', 1],
  ])('in %s', (_, admin) => {
    let mine: Furnished
    let another: string
    beforeAll(async () => {
      mine = await furnish(at())
      another = await createProject(mine.owner)
      if (admin) await at().admin.post(`/v1/admin/customers/${mine.owner.id}/edit`, { admin: true })
    })
    const available = scopesOfAccount({ admin })
    const projectsOf = (reach: Reach) =>
      reach === 'all' ? {} : { projects: [reach === 'this' ? (mine.ids.project_id ?? '') : another] }

    /** By default, the secret in the path is invalid, so that only the headers authenticate the caller. */
    const asking = (client: Client, headers: Record<string, string>, secret = 'none'): Ask => {
      const nouns = { ...mine.ids, api_key: secret }
      return async (endpoint) => {
        const path = `${pathOf(endpoint, nouns)}?unknown_member=1`
        const { error } = await client.send(endpoint.method, path, { headers })
        if (error.type === 'invalid_request') return 'admitted'
        return [error.type, error.needs].filter(Boolean).join(' ')
      }
    }
    const asPerson = async (role: Exclude<Role, 'custom'>, reach: Reach) => {
      const person = await createPerson(at(), mine.owner.id, { role, ...projectsOf(reach) })
      return asking(at().client(), await signIn(at(), person))
    }
    const asToken = async (scopes: Iterable<Scope>, reach: Reach = 'all') => {
      const body = { name: 'Token', scopes: [...scopes], ...projectsOf(reach) }
      const made = await mine.owner.post('/v1/tokens/new', body)
      const secret = made.string('secret')
      return asking(at().client(secret), {}, secret)
    }
    let turn = 0
    const compare = async (ask: Ask, given: Given) => {
      const seen: Record<string, string> = {}
      const expected: Record<string, string> = {}
      for (const endpoint of shareOf(turn++, given)) {
        const name = `${endpoint.method} ${endpoint.path}`
        seen[name] = await ask(endpoint)
        expected[name] = expectedOf(endpoint, given)
      }
      expect(seen).toEqual(expected)
    }

    describe.each(ROLE_NAMES)('the role %s', (role) => {
      const scopes = scopesOfMember({ role, scopes: [] }, available)

      it.each(REACHES)('can call exactly what it allows, with access to projects: %s', async (reach) => {
        await compare(await asPerson(role, reach), { kind: 'person', scopes, reach })
      })

      it('can call exactly what it allows after a login that is not recent', async () => {
        const ask = await asPerson(role, 'all')
        at().clock.now += 11 * MINUTE_MS
        await compare(ask, { kind: 'person', scopes, reach: 'all', isStale: true })
      })
    })

    it.each(REACHES)(
      'a token with every scope can call exactly what its scopes allow, with access to projects: %s',
      async (reach) => {
        await compare(await asToken(available, reach), { kind: 'token', scopes: available, reach })
      },
    )

    it('a token with one scope can call what requires it, and one without it cannot', async () => {
      for (const scope of available) {
        const ask = await asToken([scope])
        const without = ALL_SCOPES.filter((one) => available.has(one) && !withIncluded([one]).has(scope))
        const other = await asToken(without)
        for (const endpoint of asked.filter((one) => one.scope === scope)) {
          if (endpoint.auth === 'customerByPathKey') continue
          const seen = [await ask(endpoint), await other(endpoint)]
          const lists = [[scope], without]
          const expected = lists.map((scopes) => {
            return expectedOf(endpoint, { kind: 'token', scopes: withIncluded(scopes), reach: 'all' })
          })
          expect([endpoint.name, ...seen]).toEqual([endpoint.name, ...expected])
          expect(expected[0]).toMatch(/^(admitted|forbidden a dashboard session)$/)
        }
      }
    })
  })
})
