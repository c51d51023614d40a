/**
 * A form for obfuscator options, generated from the definitions of the API. Unchanged options follow the preset and are
 * not part of the values.
 */
import { useId, useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { protectionText } from '../../messages/en/protection.ts'
import { text } from '../../messages/text.ts'
import { PresetCards } from './preset-cards.tsx'
import { type OptionList, type Options, useOptionList } from './queries.ts'
import styles from './scripts.module.css'

type Option = OptionList['options'][number]

type Props = {
  readonly values: Options
  readonly onChange: (values: Options) => void
  /** Returns the API error of an option. */
  readonly errorOf: (id: string) => string | undefined
}

/** Options that are shown elsewhere. */
const APART: ReadonlySet<string> = new Set(['preset', 'target', 'seed'])

export function OptionFields({ values, onChange, errorOf }: Props) {
  const query = useOptionList()
  if (query.error) return <ErrorMessage of={query.error} />
  if (query.data === undefined) return <Skeleton rows={2} />
  const { options, default_preset } = query.data
  const set = (id: string, value: Options[string] | undefined) => onChange(changed(values, id, value))
  const different = Object.keys(values).filter((id) => id !== 'preset').length
  return (
    <div className="stack">
      <PresetCards
        list={query.data}
        chosen={String(values.preset ?? default_preset)}
        error={errorOf('preset')}
        onChoose={(id) => set('preset', id === default_preset ? undefined : id)}
      />
      <details className={styles.more}>
        <summary>
          {text.scripts.advanced}
          {different > 0 && ` · ${text.scripts.differing(different)}`}
        </summary>
        <div className="stack">
          <p className="hint">{text.scripts.optionsHint}</p>
          <Apart list={query.data} values={values} set={set} errorOf={errorOf} />
          <div className={styles.passes}>
            {options
              .filter(({ id }) => !APART.has(id))
              .map((option) => (
                <OptionRow
                  key={option.id}
                  option={option}
                  value={values[option.id]}
                  error={errorOf(option.id)}
                  onChange={(value) => set(option.id, value)}
                />
              ))}
          </div>
        </div>
      </details>
    </div>
  )
}

type ApartProps = {
  readonly list: OptionList
  readonly values: Options
  readonly set: (id: string, value: Options[string] | undefined) => void
  readonly errorOf: Props['errorOf']
}

function Apart({ list, values, set, errorOf }: ApartProps) {
  const target = list.targets.find(({ id }) => id === (values.target ?? 'any'))
  return (
    <div className="row top">
      <SelectField
        label={nameOf(list, 'target')}
        hint={target?.description}
        error={errorOf('target')}
        value={target?.id}
        options={list.targets.map(({ id, name }) => [id, name])}
        onChange={({ target: { value } }) => set('target', value === 'any' ? undefined : value)}
      />
      <Field
        label={nameOf(list, 'seed')}
        hint={`${list.options.find(({ id }) => id === 'seed')?.description ?? ''} ${text.scripts.seedHint}`}
        error={errorOf('seed')}
        value={values.seed === undefined ? '' : String(values.seed)}
        onChange={({ target: { value } }) => set('seed', value === '' ? undefined : value)}
      />
    </div>
  )
}

type RowProps = {
  readonly option: Option
  readonly value: Options[string] | undefined
  readonly error: string | undefined
  readonly onChange: (value: Options[string] | undefined) => void
}

function OptionRow({ option, value, error, onChange }: RowProps) {
  const id = useId()
  const isInner = option.id.includes('.')
  return (
    <div className={isInner ? `${styles.pass} ${styles.inner}` : styles.pass}>
      <div>
        <label htmlFor={id}>{protectionText.options[option.id] ?? option.name}</label>
        <p className="hint" id={`${id}-hint`}>
          {protectionText.hints[option.id] ?? option.description}
        </p>
        {error !== undefined && (
          <p className="field-error" role="alert" id={`${id}-error`}>
            {error}
          </p>
        )}
      </div>
      {option.type === 'share' && <ShareInput id={id} option={option} value={value} onChange={onChange} />}
      {option.type === 'names' && <NamesInput id={id} value={value} onChange={onChange} />}
      {(option.type === 'choice' || option.type === 'boolean') && (
        <ChoiceInput id={id} option={option} value={value} onChange={onChange} />
      )}
    </div>
  )
}

type InputProps = Omit<RowProps, 'error'> & { readonly id: string }

const SWITCH: Readonly<Record<string, string>> = { true: text.scripts.on, false: text.scripts.off }

function ChoiceInput({ id, option, value, onChange }: InputProps) {
  const isSwitch = option.type === 'boolean'
  const choices = isSwitch ? ['true', 'false'] : (option.choices ?? [])
  const words = isSwitch ? SWITCH : protectionText.choices[option.id]
  const choose = (chosen: string) => {
    if (chosen === '') return onChange(undefined)
    onChange(isSwitch ? chosen === 'true' : chosen)
  }
  return (
    <select
      id={id}
      aria-describedby={`${id}-hint`}
      value={value === undefined ? '' : String(value)}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">{text.scripts.asPreset}</option>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {words?.[choice] ?? choice}
        </option>
      ))}
    </select>
  )
}

/** An empty list is sent, because an upload without the option would keep the stored one. */
function NamesInput({ id, value, onChange }: Omit<InputProps, 'option'>) {
  return (
    <div className="field">
      <input
        id={id}
        aria-describedby={`${id}-hint`}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  )
}

/** Incomplete numbers stay as typed, and are not sent. */
function ShareInput({ id, option, value, onChange }: InputProps) {
  const [typed, setTyped] = useState(value === undefined ? '' : String(value))
  const isWrong = typed !== '' && shareIn(typed) === undefined
  const write = (given: string) => {
    setTyped(given)
    onChange(given === '' ? undefined : (shareIn(given) ?? given))
  }
  return (
    <div className="field">
      <input
        id={id}
        inputMode="decimal"
        placeholder={String(option.default)}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${id}-wrong` : `${id}-hint`}
        value={typed}
        onChange={(event) => write(event.target.value)}
      />
      {isWrong && (
        <p className="field-error" id={`${id}-wrong`}>
          {text.scripts.shareWrong}
        </p>
      )}
    </div>
  )
}

function shareIn(typed: string): number | undefined {
  const share = Number(typed.trim().replace(',', '.'))
  return typed.trim() !== '' && share >= 0 && share <= 1 ? share : undefined
}

function nameOf(list: OptionList, id: string): string {
  return list.options.find((option) => option.id === id)?.name ?? id
}

function changed(values: Options, id: string, value: Options[string] | undefined): Options {
  const { [id]: _, ...rest } = values
  return value === undefined ? rest : { ...rest, [id]: value }
}
