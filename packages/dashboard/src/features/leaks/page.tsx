/** Traces leaked copies of any script, and lists earlier traces. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useFilters } from '../../lib/address.ts'
import { leaksText } from '../../messages/en/leaks.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { Trace } from '../scripts/trace.tsx'
import { EarlierTraces } from './earlier-traces.tsx'
import { scriptNamedIn } from './named-script.ts'
import { type NamedScript, TRACES, useNamedScripts } from './queries.ts'

export function LeaksPage() {
  const { id } = useProject()
  const query = useNamedScripts(id)
  const scripts = query.data ?? []
  return (
    <>
      <PageTitle title={text.frame.leaks} intro={leaksText.intro} />
      <QueryBoundary query={query}>
        {scripts.length === 0 ? <NoScripts projectId={id} /> : <OfScripts scripts={scripts} />}
      </QueryBoundary>
    </>
  )
}

function NoScripts({ projectId }: { projectId: string }) {
  return (
    <Empty title={leaksText.noScripts} hint={leaksText.noScriptsHint}>
      <a className="button" href={addressOf.project(projectId, 'scripts', { new: 'script' })}>
        {text.frame.paletteDo.uploadScript}
      </a>
    </Empty>
  )
}

/**
 * A trace compares the copy with every version of one script, so tracing against all scripts would be too
 * slow.
 */
function OfScripts({ scripts }: { scripts: readonly NamedScript[] }) {
  const queries = useQueryClient()
  const [given] = useFilters()
  const [chosen, setChosen] = useState(given.script)
  const [copy, setCopy] = useState('')
  const named = scriptNamedIn(copy, scripts)
  const script = scripts.find(({ id }) => id === chosen) ?? named ?? scripts[0]
  if (script === undefined) return null
  const next = scripts[(scripts.indexOf(script) + 1) % scripts.length]
  const isGuessed = chosen === undefined && named !== undefined
  const choice =
    scripts.length === 1 ? (
      <p className="hint">
        {leaksText.comparedWith} <bdi>{script.name}</bdi>
      </p>
    ) : (
      <SelectField
        label={leaksText.script}
        hint={isGuessed ? leaksText.scriptGuessed : leaksText.scriptHint}
        value={script.id}
        options={scripts.map(({ id, name }) => [id, name] as const)}
        onChange={(event) => setChosen(event.target.value)}
      />
    )
  return (
    <>
      <Trace
        script={script}
        choice={choice}
        onCopy={setCopy}
        next={next && next !== script ? { ...next, onChoose: () => setChosen(next.id) } : undefined}
        onTraced={() => void queries.invalidateQueries({ queryKey: TRACES })}
      />
      <EarlierTraces />
    </>
  )
}
