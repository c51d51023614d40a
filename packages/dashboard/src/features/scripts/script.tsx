import { type ReactNode, useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
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
import { Functions } from './functions/functions.tsx'
import { NewVersion } from './new-version.tsx'
import { Overview } from './overview.tsx'
import { isGone, type Script, useScript, WRITE } from './queries.ts'
import { Releases } from './releases/releases.tsx'
import { ReportedErrors } from './reported/list.tsx'
import { RemoveDialog, StatusOf, useToggle } from './script-changes.tsx'
import { useScriptId } from './script-id.ts'
import { Settings } from './settings.tsx'
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

/** `error` is set if reloading failed. Input is kept even if the script has been deleted. */
function Room({ script, error }: { script: Script; error: unknown }) {
  const [filters, setFilters] = useFilters()
  const kept = useKept('new-version', script.id)
  const [draft, setDraft] = useKeptState<Draft>(kept, 'draft', { ...NOTHING, options: script.options })
  const choose = (tab: string) => setFilters({ tab: tab === 'overview' ? undefined : tab })
  const edit = (tree: Tree) => {
    setDraft({ ...draft, ...tree })
    choose('new')
  }
  const done = (tab: string) => {
    setDraft({ ...NOTHING, options: draft.options })
    choose(tab)
  }
  const contents: Readonly<Record<Section, ReactNode>> = {
    overview: <Overview script={script} />,
    versions: <Versions script={script} onEdit={edit} />,
    releases: <Releases script={script} />,
    new: <NewVersion script={script} kept={kept} draft={draft} onChange={setDraft} onDone={done} />,
    run: <TestRun script={script} />,
    trace: <Trace script={script} />,
    reported: <ReportedErrors script={script} />,
    executors: <Executors script={script} />,
    errors: <Errors script={script} />,
    functions: <Functions script={script} />,
    settings: <Settings script={script} />,
  }
  const section = sectionOf(filters.tab)
  return (
    <>
      <Title script={script} section={section} onOpen={choose} />
      {isGone(error) ? <GoneNotice /> : <ErrorMessage of={error} />}
      <Tabs
        label={text.scripts.areas}
        tabs={AREAS.map(([id, ...sections]) => ({
          id,
          title: areaTitles[id],
          content: (
            <Area id={id} sections={sections} contents={contents} chosen={section} onChoose={choose} />
          ),
        }))}
        chosen={areaOf(section)}
        onChoose={choose}
      />
    </>
  )
}

/** The areas of the page, each with its sections. In the URL, the first section has the name of its area. */
const AREAS = [
  ['overview', 'overview'],
  ['versions', 'versions', 'releases', 'new', 'run', 'trace'],
  ['reported', 'reported', 'executors', 'errors'],
  ['functions', 'functions'],
  ['settings', 'settings'],
] as const
type AreaId = (typeof AREAS)[number][0]
type Section = (typeof AREAS)[number][number]

/** A link to a section that no longer exists opens the overview instead. */
function sectionOf(tab: string | undefined): Section {
  return AREAS.flat().find((section) => section === tab) ?? 'overview'
}

function areaOf(section: Section): AreaId {
  return AREAS.find(([, ...sections]) => sections.some((one) => one === section))?.[0] ?? 'overview'
}

type AreaProps = {
  readonly id: AreaId
  readonly sections: readonly Section[]
  readonly contents: Readonly<Record<Section, ReactNode>>
  readonly chosen: Section
  readonly onChoose: (section: string) => void
}

function Area({ id, sections, contents, chosen, onChoose }: AreaProps) {
  if (sections.length === 1) return contents[id]
  const tabs = sections.map((one) => ({ id: one, title: titles[one], content: contents[one] }))
  const shown = sections.includes(chosen) ? chosen : id
  return <Tabs label={areaTitles[id]} tabs={tabs} chosen={shown} onChoose={onChoose} isInner />
}

const areaTitles: Readonly<Record<AreaId, string>> = {
  overview: text.scripts.overview,
  versions: text.scripts.versions,
  reported: text.reported.tab,
  functions: text.functions.tab,
  settings: text.scripts.settings,
}

const titles: Readonly<Record<Section, string>> = {
  ...areaTitles,
  versions: text.scripts.allVersions,
  releases: text.releases.tab,
  new: text.scripts.newVersion,
  run: text.scripts.testRun,
  trace: text.scripts.trace,
  reported: text.scripts.reported,
  executors: text.executors.tab,
  errors: text.scripts.errors,
}

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

type TitleProps = {
  readonly script: Script
  readonly section: Section
  readonly onOpen: (section: Section) => void
}

/** Sections without a main action. In the others, only that action has the accent color. */
const WITHOUT_ACTION: readonly Section[] = ['overview', 'versions', 'reported']

function Title({ script, section, onOpen }: TitleProps) {
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
          <MenuItem needs="users:issue" onClick={() => onOpen('run')}>
            {text.scripts.testRun}
          </MenuItem>
          <MenuItem onClick={() => onOpen('trace')}>{text.scripts.trace}</MenuItem>
          <MenuItem needs={WRITE} onClick={() => toggle.mutate(!script.enabled)}>
            {script.enabled ? text.scripts.disable : text.scripts.enable}
          </MenuItem>
          <MenuItem needs={WRITE} isDanger onClick={() => setIsAsked(true)}>
            {text.remove}
          </MenuItem>
        </Menu>
        <GuardedButton
          needs={WRITE}
          className={WITHOUT_ACTION.includes(section) ? 'main' : undefined}
          onClick={() => onOpen('new')}
        >
          {text.scripts.newVersion}
        </GuardedButton>
      </PageTitle>
      {isAsked && (
        <RemoveDialog script={script} onClose={() => setIsAsked(false)} onRemoved={() => goTo(list)} />
      )}
    </>
  )
}
