/** Filters the audit log by actor, action, resource and day. The filters read as a sentence, as in Logs. */
import { useState } from 'react'
import { text } from '../../messages/text.ts'
import type { AuditEntry } from '../../queries/access.ts'
import styles from '../sentence/sentence.module.css'
import { type Option, Options, Token, Typed } from '../sentence/token.tsx'
import { AuditDays, DaysDialog } from './audit-days.tsx'
import { actionName, actorName, PHRASES } from './audit-line.ts'
import { type Names, shortId } from './audit-values.ts'

export type Filters = Readonly<Partial<Record<'actor' | 'action' | 'noun' | 'from' | 'to', string>>>

type Props = {
  readonly filters: Filters
  readonly entries: readonly AuditEntry[]
  /** IDs and names of current team members. */
  readonly actors: readonly (readonly [string, string])[]
  readonly names: Names
  readonly onChange: (changed: Readonly<Partial<Record<keyof Filters, string | undefined>>>) => void
  readonly onClear: () => void
}

export function AuditFilters({ filters, entries, actors, names, onChange, onClear }: Props) {
  const t = text.auditSentence
  const [isRange, setIsRange] = useState(false)
  const { actor, action, noun } = filters
  const people = actorsOf(actor ?? '', actors, entries)
  return (
    <>
      <search className={styles.sentence} aria-label={text.auditTitle}>
        <Choice
          title={text.action}
          any={t.allChanges}
          value={action}
          options={actionsOf(action, entries)}
          onChoose={(chosen) => onChange({ action: chosen })}
        />{' '}
        {t.by}{' '}
        <Choice
          title={text.who}
          any={t.anyone}
          value={actor}
          options={people}
          onChoose={(chosen) => onChange({ actor: chosen })}
        />{' '}
        {t.to} <NounToken value={noun} names={names} onChange={(typed) => onChange({ noun: typed })} />{' '}
        {t.time} <AuditDays filters={filters} onChange={onChange} onRange={() => setIsRange(true)} />
        {Object.keys(filters).length > 0 && (
          <button type="button" className="quiet" onClick={onClear}>
            {text.clearFilters}
          </button>
        )}
      </search>
      {isRange && <DaysDialog filters={filters} onChange={onChange} onClose={() => setIsRange(false)} />}
    </>
  )
}

type ChoiceProps = {
  readonly title: string
  readonly any: string
  readonly value: string | undefined
  readonly options: readonly (readonly [string, string])[]
  readonly onChoose: (value: string | undefined) => void
}

function Choice({ title, any, value, options, onChoose }: ChoiceProps) {
  const all: readonly Option[] = [[undefined, any], ...options]
  const words = options.find(([id]) => id === value)?.[1] ?? any
  return (
    <Token title={title} words={words} isSet={value !== undefined} onClear={() => onChoose(undefined)}>
      {(close) => (
        <Options
          options={all}
          value={value}
          onChoose={(chosen) => {
            onChoose(chosen)
            close()
          }}
        />
      )}
    </Token>
  )
}

type NounProps = {
  readonly value: string | undefined
  readonly names: Names
  readonly onChange: (noun: string | undefined) => void
}

function NounToken({ value, names, onChange }: NounProps) {
  const words = value === undefined ? text.auditSentence.anything : (names.get(value) ?? shortId(value))
  return (
    <Token title={text.noun} words={words} isSet={value !== undefined} onClear={() => onChange(undefined)}>
      {(close) => (
        <>
          <Typed
            label={text.noun}
            value={value ?? ''}
            onApply={(typed) => {
              onChange(typed)
              close()
            }}
          />
          <p className="hint">{text.nounHint}</p>
        </>
      )}
    </Token>
  )
}

const ACTIONS = Object.values(text.auditActions).flatMap((phrases) =>
  Object.keys(phrases).map((action) => [action, actionName(action)] as const),
)

/** Lists all known actions, plus unknown ones that occur on the page. */
function actionsOf(chosen: string | undefined, entries: readonly AuditEntry[]) {
  const seen = [chosen, ...entries.map(({ action }) => action)]
  const others = [...new Set(seen)].filter((action) => action !== undefined && !(action in PHRASES))
  return [...others.map((action) => [action ?? '', action ?? ''] as const), ...ACTIONS]
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
