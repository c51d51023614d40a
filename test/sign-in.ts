/** Signs test users in with cookies in a real browser, as the sign-in page does. */
import type { BrowserContext } from 'playwright-core'
import type { PersonRow } from '../packages/server/src/features/people/store/sign-ins.ts'
import type { TestServer } from '../packages/server/test/harness.ts'
import { createPerson, type Seat, signIn } from '../packages/server/test/people.ts'

/**
 * Creates a user with a role in this account, and signs in as that user. Pages that open afterward in this
 * context are signed in.
 */
export async function signInAs(
  context: BrowserContext,
  server: TestServer,
  customerId?: string,
  seat?: Seat,
): Promise<PersonRow> {
  const person = await createPerson(server, customerId, seat)
  await setCookies(context, server.url, await signIn(server, person))
  return person
}

/** Returns the account of the initial operator. */
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
