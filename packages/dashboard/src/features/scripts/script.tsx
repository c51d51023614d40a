import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useFilters, useGoTo } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { Errors } from './errors.tsx'
import { Executors } from './executors/executors.tsx'
import type { Tree } from './files-field.tsx'
import { useDrafts } from './functions/draft.ts'
import { Functions } from './functions/functions.tsx'
import { NewVersion } from './new-version.tsx'
import { Overview } from './overview.tsx'
import { isGone, type Script, useScript, WRITE } from './queries.ts'
import { Releases } from './releases/releases.tsx'
import { ReportedErrors } from './reported/list.tsx'
import { RemoveDialog, StatusOf, useToggle } from './script-card.tsx'
import { useScriptId } from './script-id.ts'
import { Statistics } from './statistics.tsx'
import { TestRun } from './test-run.tsx'
import { Trace } from './trace.tsx'
import { type Draft, NOTHING } from './upload-form.tsx'
import { Versions } from './versions.tsx'

export function ScriptPage() {
  const project = useProject()
  const id = useScriptId()
  const query = useScript(id)
  if (query.data === undefined && isGone(query.error))
    return (
      <Empty isPage title={text.scripts.goneTitle} hint={text.scripts.goneHint}>
        <a className="button" href={addressOf.project(project.id, 'scripts')}>
          {text.scripts.allScripts}
        </a>
      </Empty>
    )
  if (query.data === undefined)
    return (
      <>
        <PageTitle title={text.frame.scripts} />
        <QueryBoundary query={query}>{null}</QueryBoundary>
      </>
    )
  return <Room key={id} script={query.data} error={query.error} />
}

/** `error` is set if reloading failed. Input is kept even if the script was deleted. */
function Room({ script, error }: { script: Script; error: unknown }) {
  const [filters, setFilters] = useFilters()
  const [draft, setDraft] = useState<Draft>({ ...NOTHING, options: script.options })
  const functionDrafts = useDrafts()
  const choose = (tab: string) => setFilters({ tab: tab === 'overview' ? undefined : tab })
  const edit = (tree: Tree) => {
    setDraft({ ...draft, ...tree })
    choose('new')
  }
  const done = (tab: string) => {
    setDraft({ ...NOTHING, options: draft.options })
    choose(tab)
  }
  const contents = {
    overview: <Overview script={script} />,
    new: <NewVersion script={script} draft={draft} onChange={setDraft} onDone={done} />,
    versions: <Versions script={script} onEdit={edit} />,
    releases: <Releases script={script} />,
    functions: <Functions script={script} drafts={functionDrafts} />,
    reported: <ReportedErrors script={script} />,
    executors: <Executors script={script} />,
    run: <TestRun script={script} />,
    statistics: <Statistics script={script} />,
    errors: <Errors script={script} />,
    trace: <Trace script={script} />,
  }
  const tabs = (Object.keys(contents) as (keyof typeof contents)[]).map((id) => ({
    id,
    title: titles[id],
    content: contents[id],
  }))
  return (
    <>
      <Title script={script} onNew={() => choose('new')} />
      {isGone(error) ? <GoneNotice /> : <ErrorMessage of={error} />}
      <Tabs
        label={text.scripts.areas}
        tabs={tabs}
        chosen={filters.tab !== undefined && filters.tab in contents ? filters.tab : 'overview'}
        onChoose={choose}
      />
    </>
  )
}

const titles = {
  overview: text.scripts.overview,
  new: text.scripts.newVersion,
  versions: text.scripts.versions,
  releases: text.releases.tab,
  functions: text.functions.tab,
  reported: text.reported.tab,
  executors: text.executors.tab,
  run: text.scripts.testRun,
  statistics: text.scripts.statistics,
  errors: text.scripts.errors,
  trace: text.scripts.trace,
} as const

function GoneNotice() {
  const project = useProject()
  return (
    <div className="notice warn" role="alert">
      <p>{text.scripts.goneNow}</p>
      <a className="button" href={addressOf.project(project.id, 'scripts', { new: 'script' })}>
        {text.scripts.allScripts}
      </a>
    </div>
  )
}

function Title({ script, onNew }: { script: Script; onNew: () => void }) {
  const project = useProject()
  const goTo = useGoTo()
  const toggle = useToggle(script)
  const [isAsked, setIsAsked] = useState(false)
  const list = addressOf.project(project.id, 'scripts')
  return (
    <>
      <PageTitle
        title={script.name}
        intro={<StatusOf script={script} />}
        back={{ href: list, title: text.scripts.allScripts }}
      >
        <Menu label={text.scripts.actionsOf(script.name)}>
          <MenuItem needs={WRITE} onClick={() => toggle.mutate(!script.enabled)}>
            {script.enabled ? text.scripts.disable : text.scripts.enable}
          </MenuItem>
          <MenuItem needs={WRITE} isDanger onClick={() => setIsAsked(true)}>
            {text.remove}
          </MenuItem>
        </Menu>
        <GuardedButton needs={WRITE} className="main" onClick={onNew}>
          {text.scripts.newVersion}
        </GuardedButton>
      </PageTitle>
      <ErrorMessage of={toggle.error} />
      {isAsked && (
        <RemoveDialog script={script} onClose={() => setIsAsked(false)} onRemoved={() => goTo(list)} />
      )}
    </>
  )
}
