/** Filters the audit log by actor, action, resource and day. */
import { type FormEvent, useEffect, useId, useState } from 'react'
import { text } from '../../messages/text.ts'
import type { AuditEntry } from '../../queries/access.ts'
import { Field } from '../fields/field.tsx'
import { actionName, actorName, PHRASES, shortId } from './audit-line.ts'

export type Filters = Readonly<Partial<Record<'actor' | 'action' | 'noun' | 'from' | 'to', string>>>

type Props = {
  readonly filters: Filters
  readonly entries: readonly AuditEntry[]
  /** IDs and names of current team members. */
  readonly actors: readonly (readonly [string, string])[]
  readonly onChange: (changed: Filters) => void
  readonly onClear: () => void
}

export function AuditFilters({ filters, entries, actors, onChange, onClear }: Props) {
  const { actor = '', action = '', from = '', to = '' } = filters
  return (
    <search className="row top filters" aria-label={text.auditTitle}>
      <Choice label={text.who} value={actor} onChange={(value) => onChange({ actor: value })}>
        <option value="">{text.anyone}</option>
        {actorsOf(actor, actors, entries).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Choice label={text.action} value={action} onChange={(value) => onChange({ action: value })}>
        <option value="">{text.anyAction}</option>
        <Actions chosen={action} entries={entries} />
      </Choice>
      <NounField value={filters.noun ?? ''} onChange={(noun) => onChange({ noun })} />
      <Field
        label={text.from}
        type="date"
        value={from}
        max={to || undefined}
        onChange={(event) => onChange({ from: event.target.value })}
      />
      <Field
        label={text.to}
        type="date"
        value={to}
        min={from || undefined}
        onChange={(event) => onChange({ to: event.target.value })}
      />
      {Object.keys(filters).length > 0 && (
        <button type="button" onClick={onClear}>
          {text.clearFilters}
        </button>
      )}
    </search>
  )
}

const GROUPS = Object.entries(text.auditActions) as [keyof typeof text.auditGroups, object][]

type Select = { label: string; value: string; onChange: (value: string) => void; children: React.ReactNode }

function Choice({ label, value, onChange, children }: Select) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
  )
}

function Actions({ chosen, entries }: { chosen: string; entries: readonly AuditEntry[] }) {
  const seen = [chosen, ...entries.map(({ action }) => action)]
  const others = [...new Set(seen)].filter((action) => action !== '' && !(action in PHRASES))
  return (
    <>
      {others.map((action) => (
        <option key={action} value={action}>
          {action}
        </option>
      ))}
      {GROUPS.map(([group, phrases]) => (
        <optgroup key={group} label={text.auditGroups[group]}>
          {Object.keys(phrases).map((action) => (
            <option key={action} value={action}>
              {actionName(action)}
            </option>
          ))}
        </optgroup>
      ))}
    </>
  )
}

/** Applies the filter on blur or Enter, not on each keystroke. */
function NounField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const look = (event?: FormEvent) => {
    event?.preventDefault()
    if (typed.trim() !== value) onChange(typed.trim())
  }
  return (
    <form onSubmit={look}>
      <Field
        label={text.noun}
        hint={text.nounHint}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => look()}
      />
    </form>
  )
}

/** Lists team members, everyone else with an entry on the page, and the selected actor. */
function actorsOf(chosen: string, members: Props['actors'], entries: readonly AuditEntry[]) {
  const all = new Map<string, string>(members)
  for (const kind of ['api_key', 'command_line', 'job'] as const) all.set(kind, KINDS[kind])
  for (const { actor } of entries)
    if (actor.id !== null && !all.has(actor.id)) all.set(actor.id, actorName(actor, all))
  if (chosen !== '' && !all.has(chosen)) all.set(chosen, shortId(chosen))
  return [...all]
}

const KINDS = { api_key: text.apiKeyActor, command_line: text.commandLine, job: text.job }
