/** The hub address of a project: the line to publish, where each script runs, and unsupported games. */
import { Snippet } from '../../components/code/snippet.tsx'
import { Empty } from '../../components/empty.tsx'
import { OnlyHere } from '../../components/loaders.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { keyLine } from '../../lib/snippets.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { Demand } from './demand.tsx'
import { useHub, useHubScripts } from './queries.ts'
import { Scripts } from './scripts.tsx'

const t = text.hub

export function HubPage() {
  const hub = useHub()
  const { query, rows } = useHubScripts(hub.data)
  return (
    <>
      <PageTitle title={text.frame.hub} intro={t.intro} />
      <QueryBoundary query={hub}>
        {hub.data && (
          <>
            <Panel title={t.line} hint={t.lineHint}>
              <OnlyHere />
              <Snippet
                code={`${keyLine(text.scripts.yourKey)}\n${hub.data.line}`}
                label={text.loaders.executor}
              />
            </Panel>
            <QueryBoundary query={query}>
              {rows.length === 0 ? <NoScripts /> : <Scripts scripts={rows} />}
            </QueryBoundary>
            <Demand hub={hub.data} scripts={rows} />
          </>
        )}
      </QueryBoundary>
    </>
  )
}

function NoScripts() {
  const { id } = useProject()
  return (
    <Empty title={t.noScripts} hint={t.noScriptsHint}>
      <a className="button" href={addressOf.project(id, 'scripts', { new: 'script' })}>
        {text.frame.paletteDo.uploadScript}
      </a>
    </Empty>
  )
}
