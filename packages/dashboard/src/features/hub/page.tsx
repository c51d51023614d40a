/** A project's hub page: the line to publish, each script's games, unsupported games, and the key window. */
import { Snippet } from '../../components/code/snippet.tsx'
import { Empty } from '../../components/empty.tsx'
import { OnlyHere } from '../../components/loaders.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Panel } from '../../components/panel.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useFilters } from '../../lib/address.ts'
import { keyLine } from '../../lib/snippets.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { Demand } from './demand.tsx'
import { useHub, useHubScripts } from './queries.ts'
import { Scripts } from './scripts.tsx'
import { WindowPanel } from './window/panel.tsx'

const t = text.hub

const TABS = ['games', 'window'] as const

export function HubPage() {
  const [{ tab }, change] = useFilters()
  return (
    <>
      <PageTitle title={text.frame.hub} intro={t.intro} />
      <Tabs
        label={text.frame.hub}
        chosen={TABS.find((id) => id === tab) ?? 'games'}
        onChoose={(id) => change({ tab: id === 'games' ? undefined : id })}
        tabs={[
          { id: 'games', title: text.keyWindow.games, content: <Games /> },
          { id: 'window', title: text.keyWindow.tab, content: <WindowPanel /> },
        ]}
      />
    </>
  )
}

function Games() {
  const hub = useHub()
  const { query, rows } = useHubScripts(hub.data)
  return (
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
