/** Server functions of a script: the list, or the one that the address names. */
import { v1ServerFunctionsRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { addressOf, useFilters, withQuery } from '../../../address.ts'
import { useCall } from '../../../api.ts'
import { bytes } from '../../../format.ts'
import { ConfirmDialog } from '../../../parts/dialog.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { GuardedButton } from '../../../parts/guarded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { RowButton } from '../../../parts/row-button.tsx'
import { Time } from '../../../parts/time.tsx'
import { useProject } from '../../../projects.ts'
import { text } from '../../../text/text.ts'
import { Waiting } from '../../trouble.tsx'
import { type Script, WRITE } from '../queries.ts'
import type { Drafts } from './draft.ts'
import styles from './functions.module.css'
import { NewFunction, OneFunction } from './one-function.tsx'
import { type ListedFunction, useFunctions } from './queries.ts'

const GUIDE = '/guide/ask'

type Given = { readonly script: Script; readonly drafts: Drafts }

export function Functions({ script, drafts }: Given) {
  const [{ new: isNew, function: name }, setFilters] = useFilters()
  const close = () => setFilters({ new: undefined, function: undefined })
  const given = { script, drafts, onClose: close }
  if (isNew === 'function')
    return <NewFunction {...given} onMade={(made) => setFilters({ new: undefined, function: made })} />
  if (name !== undefined) return <OneFunction key={name} {...given} name={name} />
  return <List script={script} onNew={() => setFilters({ new: 'function' })} />
}

function List({ script, onNew }: { script: Script; onNew: () => void }) {
  const t = text.functions
  const asked = useFunctions(script.id)
  const [removed, setRemoved] = useState<string>()
  const all = asked.data ?? []
  const guide = <a href={GUIDE}>{t.guide}</a>
  const add = (
    <GuardedButton needs={WRITE} className="main" onClick={onNew}>
      {t.newFunction}
    </GuardedButton>
  )
  return (
    <Waiting asked={asked}>
      {all.length === 0 ? (
        <Empty
          title={t.noneTitle}
          hint={
            <>
              {t.noneHint} {guide}
            </>
          }
        >
          {add}
        </Empty>
      ) : (
        <Panel
          title={t.title}
          hint={
            <>
              {t.intro} {guide}
            </>
          }
          actions={add}
        >
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
    </Waiting>
  )
}

type LineGiven = { readonly script: Script; readonly one: ListedFunction; readonly onRemove: () => void }

function Line({ script, one, onRemove }: LineGiven) {
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
        {one.last_failed_at !== null && (
          <p className={styles.problem}>
            {t.lastFailure} <Time at={one.last_failed_at} />: <code dir="auto">{one.last_problem}</code>
          </p>
        )}
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

type RemovalGiven = { readonly script: Script; readonly name: string; readonly onClose: () => void }

function Removal({ script, name, onClose }: RemovalGiven) {
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
