/** Lists and ends dashboard sessions. */
import { useQuery } from '@tanstack/react-query'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { exactly, when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { access, type SignIn } from '../../queries/access.ts'
import { useCall, useChange } from '../../queries/api.ts'

export function SignInsPanel() {
  const call = useCall()
  const list = useQuery({ queryKey: ['sign-ins'], queryFn: () => access.signIns(call) })
  const endOthers = useChange(() => access.endOtherSignIns(call))
  const isAlone = list.data?.every(({ current }) => current)
  return (
    <section className="panel">
      <header>
        <h2>{text.signInsTitle}</h2>
        <p className="hint">{text.signInsIntro}</p>
      </header>
      <QueryBoundary query={list}>
        <ul className="rows">
          {list.data?.toSorted(currentFirst).map((signIn) => (
            <Row key={signIn.id} signIn={signIn} />
          ))}
        </ul>
      </QueryBoundary>
      <div className="bar">
        <GuardedButton
          needs={undefined}
          reason={isAlone ? text.onlyHere : undefined}
          disabled={endOthers.isPending}
          onClick={() => endOthers.mutate(undefined)}
        >
          {text.endOthers}
        </GuardedButton>
        <span className="hint" role="status">
          {endOthers.isSuccess && isAlone ? text.endedOthers : ''}
        </span>
        <ErrorMessage of={endOthers.error} />
      </div>
    </section>
  )
}

/** The API returns an English description such as `Firefox on Linux`. */
function nameOf(stored: string): string {
  const [browser = '', system] = stored.split(' on ')
  const known = browser === 'Another program' ? text.otherProgram : browser || text.unknownBrowser
  return system === undefined ? known : text.browserOn(known, system)
}

function Row({ signIn }: { signIn: SignIn }) {
  const call = useCall()
  const { id, browser, network, created_at, last_used_at, current } = signIn
  const end = useChange(() => access.endSignIn(call, id))
  const shown = nameOf(browser)
  return (
    <li>
      <div className="main-text">
        <span className="name">
          <strong>{shown}</strong>
          {current && <span className="badge on">{text.here}</span>}
        </span>
        <span className="facts">
          <span>{text.fromNetwork(network)}</span>
          <span title={exactly(last_used_at)}>{text.lastUsed(when(last_used_at))}</span>
          <span title={exactly(created_at)}>{text.signedInAt(when(created_at))}</span>
        </span>
      </div>
      {!current && (
        <button
          type="button"
          aria-label={text.itsName(text.endOne, shown)}
          disabled={end.isPending}
          onClick={() => end.mutate(undefined)}
        >
          {text.endOne}
        </button>
      )}
      <ErrorMessage of={end.error} />
    </li>
  )
}

function currentFirst(a: SignIn, b: SignIn): number {
  return Number(b.current) - Number(a.current) || b.last_used_at - a.last_used_at
}
