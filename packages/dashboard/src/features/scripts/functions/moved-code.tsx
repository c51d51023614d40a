/** Functions and tables that the live version's build moved to the server. */
import { Badge } from '../../../components/badge.tsx'
import { Empty } from '../../../components/empty.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { bytes } from '../../../lib/format.ts'
import { text } from '../../../messages/text.ts'
import { type Script, type ServerCode, useVersion } from '../queries.ts'
import styles from './functions.module.css'
import { GuideLink } from './guide-link.tsx'
import { LastFailure } from './last-failure.tsx'

const EXAMPLE = `local price = WARD_SERVER(function(item, amount)
  return 10 * amount
end)`

export function MovedCode({ script }: { readonly script: Script }) {
  const t = text.functions
  const query = useVersion(script.id, script.version)
  const code = query.data?.server_code ?? []
  return (
    <QueryBoundary query={query}>
      {code.length === 0 ? (
        <Nothing />
      ) : (
        <Panel
          title={t.movedTitle}
          hint={
            <>
              {t.movedIntro(script.version)} <GuideLink />
            </>
          }
        >
          <ul className="rows" aria-label={t.movedTitle}>
            {code.map((one) => (
              <Line key={one.number} one={one} />
            ))}
          </ul>
        </Panel>
      )}
    </QueryBoundary>
  )
}

function Nothing() {
  const t = text.functions
  return (
    <Empty
      title={t.nothingMovedTitle}
      hint={
        <>
          {t.nothingMovedHint} <GuideLink />
        </>
      }
    >
      <pre className={`printed ${styles.example}`}>{EXAMPLE}</pre>
    </Empty>
  )
}

function Line({ one }: { readonly one: ServerCode }) {
  const t = text.functions
  const isTable = one.kind === 'table'
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <code>{one.name}</code>
          {isTable && <Badge tone="plain">{t.table}</Badge>}
        </div>
        <div className="facts">
          {one.name !== one.place && <span>{one.place}</span>}
          <span>{(isTable ? t.reads : t.calls)(one.calls)}</span>
          <span>{t.failures(one.failures)}</span>
          {one.calls > 0 && !isTable && <span>{t.perCall(one.cpu_ms / one.calls)}</span>}
          <span>{bytes(one.source_bytes)}</span>
        </div>
        <LastFailure of={one} />
      </div>
    </li>
  )
}
