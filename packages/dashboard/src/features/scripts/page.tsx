/** Lists a project's scripts, and uploads new scripts. */
import { useEffect, useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { ScriptsTable } from './list/table.tsx'
import { NewScript } from './new-script.tsx'
import { useScripts, WRITE } from './queries.ts'
import { CrashBanner, useRegression } from './regression/crash-banner.tsx'

export function ScriptsPage() {
  const project = useProject()
  const list = useScripts(project.id)
  const { query, rows } = list
  const [, change] = useFilters()
  const regression = useRegression()
  const isEmpty = query.isSuccess && rows.length === 0
  const { isNew, cancel } = useUpload(isEmpty)
  return (
    <>
      <PageTitle title={text.frame.scripts} intro={text.scripts.intro}>
        <GuardedButton
          needs={WRITE}
          className={regression ? undefined : 'main'}
          aria-expanded={isNew}
          onClick={() => change({ new: 'script' })}
        >
          {text.scripts.upload}
        </GuardedButton>
      </PageTitle>
      <CrashBanner found={regression} />
      {isNew && (
        <Panel
          title={isEmpty ? text.scripts.firstTitle : text.scripts.newTitle}
          hint={isEmpty ? text.scripts.firstHint : undefined}
        >
          <NewScript onCancel={isEmpty ? undefined : cancel} />
        </Panel>
      )}
      <QueryBoundary query={query}>
        {isEmpty && !isNew && <Empty title={text.scripts.list} hint={text.scripts.noneYet} />}
        {rows.length > 0 && <ScriptsTable list={list} />}
      </QueryBoundary>
    </>
  )
}

/**
 * Once opened, the form stays open even if the list or the permission changes, so that no input is lost.
 */
function useUpload(isEmpty: boolean) {
  const [filters, change] = useFilters()
  const mayUpload = useRefusal(WRITE) === undefined
  const isWanted = mayUpload && (filters.new === 'script' || isEmpty)
  const [isKept, setIsKept] = useState(false)
  useEffect(() => {
    if (isWanted) setIsKept(true)
  }, [isWanted])
  const cancel = () => {
    setIsKept(false)
    change({ new: undefined })
  }
  return { isNew: isKept || isWanted, cancel }
}
