/**
 * A script's server code: moved code and the list of server functions, or the function selected in the URL.
 */
import { v1ServerFunctionsRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { Empty } from '../../../components/empty.tsx'
import { GuardedButton } from '../../../components/guarded.tsx'
import { ConfirmDialog } from '../../../components/overlays/dialog.tsx'
import { Panel } from '../../../components/panel.tsx'
import { RowButton } from '../../../components/row-button.tsx'
import { Time } from '../../../components/time.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { addressOf, useFilters, withQuery } from '../../../lib/address.ts'
import { bytes } from '../../../lib/format.ts'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { useProject } from '../../../queries/projects.ts'
import { type Script, WRITE } from '../queries.ts'
import { LastFailure } from './last-failure.tsx'
import { MovedCode } from './moved-code.tsx'
import { NewFunction, OneFunction } from './one-function.tsx'
import { type ListedFunction, useFunctions } from './queries.ts'
import { Suggestions } from './suggestions.tsx'

export function Functions({ script }: { script: Script }) {
  const [{ new: isNew, function: name }, setFilters] = useFilters()
  const close = () => setFilters({ new: undefined, function: undefined })
  const given = { script, onClose: close }
  if (isNew === 'function')
    return <NewFunction {...given} onMade={(made) => setFilters({ new: undefined, function: made })} />
  if (name !== undefined) return <OneFunction key={name} {...given} name={name} />
  return (
    <>
      <MovedCode script={script} />
      <Suggestions script={script} />
      <List script={script} onNew={() => setFilters({ new: 'function' })} />
    </>
  )
}

function List({ script, onNew }: { script: Script; onNew: () => void }) {
  const t = text.functions
  const query = useFunctions(script.id)
  const [removed, setRemoved] = useState<string>()
  const all = query.data ?? []
  const add = (
    <GuardedButton needs={WRITE} className="main" onClick={onNew}>
      {t.newFunction}
    </GuardedButton>
  )
  return (
    <QueryBoundary query={query}>
      {all.length === 0 ? (
        <Empty title={t.noneTitle} hint={t.noneHint}>
          {add}
        </Empty>
      ) : (
        <Panel title={t.title} hint={t.intro} actions={add}>
          <ul className="rows" aria-label={t.title}>
            {all.map((one) => (
              <Line key={one.name} script={script} one={one} onRemove={() => setRemoved(one.name)} />
            ))}
          </ul>
        </Panel>
      )}
      {removed !== undefined && (
        <Removal script={script} name={removed} onClose={() => setRemoved(undefined)} />
      )}
    </QueryBoundary>
  )
}

type LineProps = { readonly script: Script; readonly one: ListedFunction; readonly onRemove: () => void }

function Line({ script, one, onRemove }: LineProps) {
  const t = text.functions
  const { id } = useProject()
  const address = withQuery(addressOf.script(id, script.id), { tab: 'functions', function: one.name })
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <code>{one.name}</code>
        </div>
        <div className="facts">
          <span>{t.calls(one.calls)}</span>
          <span>{t.failures(one.failures)}</span>
          <span>{bytes(one.source_bytes)}</span>
          <span>
            {t.changed} <Time at={one.updated_at} />
          </span>
        </div>
        <LastFailure of={one} />
      </div>
      <div className="actions">
        <a className="button" href={address} aria-label={text.itsName(t.open, one.name)}>
          {t.open}
        </a>
        <RowButton needs={WRITE} label={text.remove} of={one.name} isDanger onClick={onRemove} />
      </div>
    </li>
  )
}

type RemovalProps = { readonly script: Script; readonly name: string; readonly onClose: () => void }

function Removal({ script, name, onClose }: RemovalProps) {
  const call = useCall()
  const path = { script_id: script.id, function_name: name }
  return (
    <ConfirmDialog
      title={text.functions.removeTitle(name)}
      words={text.functions.removeWords}
      submit={text.remove}
      onConfirm={() => v1ServerFunctionsRemove({ ...call, path })}
      onClose={onClose}
    />
  )
}
