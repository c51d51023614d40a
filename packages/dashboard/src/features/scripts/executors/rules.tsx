/** The form for executor rules, and the customers that rules in count-only mode would deny. */
import { ErrorMessage } from '../../../components/error-message.tsx'
import { Check, ChoiceGroup } from '../../../components/fields/choice-group.tsx'
import styles from '../../../components/fields/features-field.module.css'
import { Field } from '../../../components/fields/field.tsx'
import { Form } from '../../../components/fields/form.tsx'
import { useFormErrors } from '../../../components/fields/form-errors.ts'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { GuardedButton } from '../../../components/guarded.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { text } from '../../../messages/text.ts'
import { type Script, WRITE } from '../queries.ts'
import { type Action, type Mode, type Rules, useEditRules, useRules } from './queries.ts'

/** A rule as entered in the form. */
type Draft = {
  readonly id: number
  readonly action: Action
  readonly executor: string
  readonly versions: string
}

const MAX_RULES = 50
const MODES: readonly Mode[] = ['enforce', 'watch']

export function ExecutorRules({ script }: { script: Script }) {
  const query = useRules(script.id)
  const { data } = query
  return (
    <Panel title={text.executors.rules} hint={text.executors.rulesHint}>
      <QueryBoundary query={query}>
        {data && (
          <>
            <RulesForm key={JSON.stringify([data.mode, data.rules])} script={script} stored={data} />
            {data.mode === 'watch' && data.rules.length > 0 && <Hits hits={data.hits} />}
          </>
        )}
      </QueryBoundary>
    </Panel>
  )
}

function RulesForm({ script, stored }: { script: Script; stored: Rules }) {
  const t = text.executors
  const showToast = useToast()
  const kept = useKept('executor-rules', script.id)
  const save = useEditRules(script.id, () => kept.forget())
  const [mode, setMode] = useKeptState(kept, 'mode', stored.mode)
  const [rows, setRows] = useKeptState<readonly Draft[]>(kept, 'rows', stored.rules.map(draftOf))
  const errors = useFormErrors(save.error)
  const change = (id: number, changes: Partial<Draft>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...changes } : row)))
  const add = () =>
    setRows([
      ...rows,
      { id: Math.max(0, ...rows.map(({ id }) => id)) + 1, action: 'deny', executor: '', versions: '' },
    ])
  const submit = (event: { preventDefault(): void }) => {
    event.preventDefault()
    const names = rows.map(({ executor }, at) => [
      `rules.${at}.executor`,
      executor.trim() === '' ? t.noName : undefined,
    ])
    if (!errors.check(Object.fromEntries(names))) return
    const onSuccess = () => showToast({ title: t.saved })
    save.mutate({ mode, rules: rows.map(ruleOf) }, { onSuccess })
  }
  return (
    <Form kept={kept} noValidate onSubmit={submit}>
      {rows.map((row, at) => (
        <Row
          key={row.id}
          row={row}
          nameError={errors.of(`rules.${at}.executor`)}
          versionsError={errors.of(`rules.${at}.versions`)}
          onChange={(changes) => change(row.id, changes)}
          onRemove={() => setRows(rows.filter(({ id }) => id !== row.id))}
        />
      ))}
      <div className="bar">
        <button type="button" disabled={rows.length >= MAX_RULES} onClick={add}>
          {t.add}
        </button>
      </div>
      {rows.length > 0 && (
        <ChoiceGroup legend={t.mode}>
          {MODES.map((one) => (
            <Check
              key={one}
              radio="mode"
              label={t.modes[one]}
              hint={t.modeHints[one]}
              checked={mode === one}
              onChange={() => setMode(one)}
            />
          ))}
        </ChoiceGroup>
      )}
      <ErrorMessage of={errors.rest} />
      <div className="bar end">
        <GuardedButton needs={WRITE} type="submit" className="main" disabled={save.isPending}>
          {t.save}
        </GuardedButton>
      </div>
    </Form>
  )
}

type RowProps = {
  readonly row: Draft
  readonly nameError: string | undefined
  readonly versionsError: string | undefined
  readonly onChange: (changes: Partial<Draft>) => void
  readonly onRemove: () => void
}

function Row({
  row: { action, executor, versions },
  nameError,
  versionsError,
  onChange,
  onRemove,
}: RowProps) {
  const t = text.executors
  return (
    <div className={styles.row}>
      <SelectField
        label={t.action}
        value={action}
        options={[
          ['deny', t.deny],
          ['allow', t.allow],
        ]}
        onChange={(event) => onChange({ action: event.target.value as Action })}
      />
      <Field
        label={text.health.executor}
        autoComplete="off"
        dir="auto"
        value={executor}
        error={nameError}
        onChange={(event) => onChange({ executor: event.target.value })}
      />
      <Field
        label={t.versions}
        hint={t.versionsHint}
        autoComplete="off"
        value={versions}
        error={versionsError}
        onChange={(event) => onChange({ versions: event.target.value })}
      />
      <div className={styles.remove}>
        <button type="button" aria-label={t.removeRule(executor)} onClick={onRemove}>
          {text.remove}
        </button>
      </div>
    </div>
  )
}

function Hits({ hits }: { hits: Rules['hits'] }) {
  const t = text.executors
  return (
    <section className="stack tight" aria-label={t.hits}>
      <h3>{t.hits}</h3>
      <p>{t.hitsOf(hits)}</p>
      {hits.executors.length > 0 && (
        <ul className="rows">
          {hits.executors.map(({ executor, runs, customers }) => (
            <li key={executor}>
              <div className="main-text">
                <bdi>{executor}</bdi>
                <div className="facts">{t.counts({ runs, customers })}</div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function draftOf({ action, executor, versions }: Rules['rules'][number], id: number): Draft {
  return { id, action, executor, versions: versions.join(', ') }
}

function ruleOf({ action, executor, versions }: Draft): Rules['rules'][number] {
  const list = versions
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return { action, executor: executor.trim(), versions: list }
}
