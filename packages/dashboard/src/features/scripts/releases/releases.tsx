/** Tab with a script's releases and channels. */
import { useState } from 'react'
import { GuardedButton } from '../../../components/guarded.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { text } from '../../../messages/text.ts'
import { type Script, useVersions, WRITE } from '../queries.ts'
import { Channels } from './channels.tsx'
import { EndedReleases } from './ended-releases.tsx'
import { OpenRelease } from './open-release.tsx'
import { useOpenReleases } from './queries.ts'
import styles from './releases.module.css'
import { StartRelease } from './start-release.tsx'

const t = text.releases

export function Releases({ script }: { script: Script }) {
  const query = useOpenReleases(script.id)
  const open = query.data ?? []
  const { rows, query: versions } = useVersions(script.id)
  const [isNew, setIsNew] = useState(false)
  const isOnlyOne = versions.isSuccess && rows.length < 2
  const button = (
    <GuardedButton
      needs={WRITE}
      reason={isOnlyOne ? t.oneVersion : undefined}
      className="main"
      onClick={() => setIsNew(true)}
    >
      {t.start}
    </GuardedButton>
  )
  return (
    <>
      <Panel title={t.title} hint={t.intro} actions={button}>
        <QueryBoundary query={query}>
          {open.length === 0 ? (
            <p className="hint">{t.none}</p>
          ) : (
            <>
              <ul className={styles.releases} aria-label={t.title}>
                {open.map((release) => (
                  <OpenRelease key={release.id} script={script} release={release} />
                ))}
              </ul>
              <p className="hint">{t.failedHint}</p>
            </>
          )}
        </QueryBoundary>
      </Panel>
      <EndedReleases scriptId={script.id} />
      <Channels script={script} />
      {isNew && <StartRelease script={script} onClose={() => setIsNew(false)} />}
    </>
  )
}
