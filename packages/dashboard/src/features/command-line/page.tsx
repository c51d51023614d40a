/** Authorizes the command line: shows the requested token and grants it only after a click. */
import { type ReactNode, useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { ProjectsInShort } from '../../components/fields/project-choice.tsx'
import { narrowest } from '../../components/fields/scope-choice.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { NoAccountPage } from '../../layout/error-pages.tsx'
import { addressOf, useFilters } from '../../lib/address.ts'
import { useMe, useScopes } from '../../lib/rights.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { auth } from '../../queries/auth.ts'
import { AuthLayout, DeadLink } from '../auth/auth-layout.tsx'
import styles from './page.module.css'
import { parseRequest, refusalAddress, type TokenRequest } from './request.ts'

export function CommandLinePage() {
  const [query] = useFilters()
  const request = parseRequest(query)
  const { account } = useMe()
  if (request === undefined) return <DeadLink title={text.login.brokenTitle} hint={text.login.broken} />
  if (account === null)
    return (
      <main className="auth">
        <NoAccountPage />
      </main>
    )
  return <Question request={request} account={account.email} />
}

export function SignedInPage() {
  return (
    <AuthLayout title={text.login.doneTitle} intro={text.login.done} hasWayBack={false}>
      <a className="button" href={addressOf.tokens}>
        {text.tokens}
      </a>
    </AuthLayout>
  )
}

function Question({ request, account }: { request: TokenRequest; account: string }) {
  const call = useCall()
  const me = useMe()
  const [isLeaving, setIsLeaving] = useState(false)
  const given = { ...request, scopes: request.scopes.filter((scope) => me.scopes.includes(scope)) }
  const lacking = request.scopes.filter((scope) => !me.scopes.includes(scope))
  const projects = request.projects ?? me.projects
  const leave = (address: string) => {
    setIsLeaving(true)
    location.replace(address)
  }
  const allow = useChange(async () => leave(await auth.allowCommandLine(call, { ...given, projects })))
  const nothing = given.scopes.length === 0 ? text.login.nothingLeft : undefined
  return (
    <AuthLayout title={text.login.title} intro={text.login.intro(account)} hasWayBack={false}>
      <dl className="facts-list">
        <Fact name={text.login.name}>{request.name}</Fact>
        <Fact name={text.projectsOf}>
          <ProjectsInShort ids={projects} />
        </Fact>
        <Fact name={text.login.ends}>
          {request.expires_at === null ? text.login.never : exactly(request.expires_at)}
        </Fact>
      </dl>
      <Rights title={text.login.rights} scopes={given.scopes} />
      <Rights title={text.login.lacking} scopes={lacking} className={styles.lacking} />
      <p className="notice">{text.login.hint}</p>
      <ErrorMessage of={allow.error} />
      <div className="bar end">
        <button type="button" disabled={isLeaving} onClick={() => leave(refusalAddress(request))}>
          {text.login.deny}
        </button>
        <GuardedButton
          needs="tokens:write"
          reason={nothing}
          className="main"
          disabled={allow.isPending || isLeaving}
          onClick={() => allow.mutate(undefined)}
        >
          {text.login.allow}
        </GuardedButton>
      </div>
    </AuthLayout>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

type RightsProps = {
  readonly title: string
  readonly scopes: readonly string[]
  readonly className?: string | undefined
}

/** Omits permissions that others include. */
function Rights({ title, scopes, className }: RightsProps) {
  const listed = useScopes().scopes
  if (scopes.length === 0) return null
  const words = (scope: string) =>
    text.rightTexts[scope] ?? listed.find(({ name }) => name === scope)?.description ?? scope
  return (
    <div className={`stack tight ${className ?? ''}`}>
      <h2>{title}</h2>
      <ul className={styles.rights}>
        {narrowest(scopes).map((scope) => (
          <li key={scope}>{words(scope).replace(/\.(⟧?)$/, '$1')}</li>
        ))}
      </ul>
    </div>
  )
}
