/** The releases of all scripts, both open and ended. */
import { useEffect } from 'react'
import { Empty } from '../../components/empty.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Panel } from '../../components/panel.tsx'
import type { Column } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { useScripts } from '../scripts/queries.ts'
import { ENDED_COLUMNS, EndedList } from '../scripts/releases/ended-releases.tsx'
import { OpenRelease } from '../scripts/releases/open-release.tsx'
import { type ProjectRelease, useProjectReleases } from '../scripts/releases/queries.ts'
import styles from '../scripts/releases/releases.module.css'

const t = text.releases

export function ReleasesPage() {
  const { id } = useProject()
  return (
    <>
      <PageTitle title={text.frame.releases} intro={t.intro} />
      <Open projectId={id} />
      <EndedList
        list={useProjectReleases(id, 'ended')}
        scriptOf={({ script_id }) => script_id}
        columns={columnsOf(id)}
      />
    </>
  )
}

function Open({ projectId }: { projectId: string }) {
  const { query, rows, more } = useProjectReleases(projectId, 'open')
  const scripts = useScripts(projectId)
  const scriptOf = ({ script_id }: ProjectRelease) => scripts.rows.find(({ id }) => id === script_id)
  const { more: rest } = scripts
  const isPart = rows.some((release) => scriptOf(release) === undefined)
  useEffect(() => {
    if (isPart && rest?.isLoading === false) rest.load()
  }, [isPart, rest])
  return (
    <QueryBoundary query={query}>
      {rows.length === 0 ? (
        <Empty title={t.noneOpen} hint={t.noneOpenHint}>
          <a className="button" href={addressOf.project(projectId, 'scripts')}>
            {text.scripts.allScripts}
          </a>
        </Empty>
      ) : (
        <Panel title={t.title}>
          <QueryBoundary query={scripts.query}>
            <ul className={styles.releases} aria-label={t.title}>
              {rows.map((release) => {
                const script = scriptOf(release)
                const href = releasesOf(projectId, release.script_id)
                return (
                  script && <OpenRelease key={release.id} script={script} release={release} href={href} />
                )
              })}
            </ul>
          </QueryBoundary>
          <p className="hint">{t.failedHint}</p>
          {more && (
            <div className="bar">
              <button type="button" onClick={() => more.load()}>
                {text.more}
              </button>
            </div>
          )}
        </Panel>
      )}
    </QueryBoundary>
  )
}

function columnsOf(projectId: string): readonly Column<ProjectRelease>[] {
  const [version, ...others] = ENDED_COLUMNS
  const script: Column<ProjectRelease> = {
    id: 'script',
    title: t.script,
    cell: ({ script_id, script_name }) => (
      <a href={releasesOf(projectId, script_id)}>
        <bdi>{script_name}</bdi>
      </a>
    ),
  }
  return [...(version === undefined ? [] : [version]), script, ...others]
}

const releasesOf = (projectId: string, scriptId: string) =>
  `${addressOf.script(projectId, scriptId)}?tab=releases`
