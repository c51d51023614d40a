/** Shows everything about one version: who uploaded it, notes, run outcomes and the build report. */
import type { V1ScriptVersionsGetResponse } from '@scriptward/sdk'
import { CrashFree } from '../../components/crash-free.tsx'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { authorName } from './author-name.ts'
import { BuildReport } from './build-report.tsx'
import type { Health } from './health.tsx'
import { type Script, useVersion } from './queries.ts'
import styles from './scripts.module.css'

type Props = {
  readonly script: Script
  readonly version: number
  readonly health: readonly Health[] | undefined
  readonly onClose: () => void
}

export function VersionDrawer({ script, version, health, onClose }: Props) {
  const query = useVersion(script.id, version)
  const of = health?.find((one) => one.version === version)
  return (
    <Drawer title={text.scripts.versionOf(version)} onClose={onClose}>
      <QueryBoundary query={query}>
        {query.data && (
          <>
            <Facts version={query.data} health={of} />
            <h3>{text.scripts.report}</h3>
            <BuildReport version={query.data} />
          </>
        )}
      </QueryBoundary>
    </Drawer>
  )
}

type FactsProps = {
  readonly version: V1ScriptVersionsGetResponse['version']
  readonly health: Health | undefined
}

function Facts({ version: { created_at, author, notes }, health }: FactsProps) {
  const [t, h] = [text.scripts, text.health]
  return (
    <dl className="facts-list">
      <dt>{t.uploaded}</dt>
      <dd>
        <Time at={created_at} /> {author !== null && t.uploadedBy(authorName(author))}
      </dd>
      <dt>{t.notes}</dt>
      <dd className={styles.allNotes} dir="auto">
        {notes ?? text.nothing}
      </dd>
      <dt>{h.runs}</dt>
      <dd>{number(health?.runs ?? 0)}</dd>
      <dt>{h.customers}</dt>
      <dd>{number(health?.customers ?? 0)}</dd>
      <dt>{h.crashFree}</dt>
      <dd>
        <CrashFree share={health?.crash_free_customers ?? null} />
      </dd>
      <dt>{h.crashed}</dt>
      <dd>{number(health?.crashed ?? 0)}</dd>
      <dt>{h.denied}</dt>
      <dd>{number(health?.denied ?? 0)}</dd>
    </dl>
  )
}
