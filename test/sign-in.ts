/** People of tests in a real browser: signed in through the cookies, as after the page of signing in. */
import type { BrowserContext } from 'playwright-core'
import type { TestServer } from '../packages/server/test/harness.ts'
import { createPerson, type Seat, signIn } from '../packages/server/test/people.ts'

/** Signs a new person in, with a seat in this account; the next page that is opened is theirs. */
export async function signInAs(
  context: BrowserContext,
  server: TestServer,
  customerId?: string,
  seat?: Seat,
): Promise<{ readonly email: string }> {
  const person = await createPerson(server, customerId, seat)
  await setCookies(context, server.url, await signIn(server, person))
  return person
}

/** The account of the operator who came with the service. */
export async function idOfOperator({ deps }: TestServer): Promise<string> {
  const operators = deps.db.read.selectFrom('customers').select('id').where('admin', '=', 1)
  return (await operators.executeTakeFirstOrThrow()).id
}

async function setCookies(context: BrowserContext, url: string, headers: Record<string, string>) {
  const [name = '', value = ''] = headers.cookie?.split('=') ?? []
  const csrf = headers['x-scriptward-csrf'] ?? ''
  await context.addCookies([
    { name, value, url, httpOnly: true, sameSite: 'Lax' },
    { name: 'scriptward-csrf', value: csrf, url, sameSite: 'Lax' },
  ])
}
