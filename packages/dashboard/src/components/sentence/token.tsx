/** A filter in the sentence: text with a dotted underline if empty, a pill if set. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { text } from '../../messages/text.ts'
import { Field } from '../fields/field.tsx'
import { Popover } from '../overlays/popover.tsx'
import styles from './sentence.module.css'

type Props = {
  readonly title: string
  /** The filter's text in the sentence. */
  readonly words: string
  readonly isSet: boolean
  readonly onClear?: () => void
  /** Content of the menu, which has to close the menu itself. */
  readonly children: (close: () => void) => ReactNode
}

export function Token({ title, words, isSet, onClear, children }: Props) {
  const { token, positioner, popup } = styles
  return (
    <span className={isSet ? styles.pill : undefined}>
      <Popover
        title={title}
        label={text.logs.valueOf(title, words)}
        classNames={{ button: token, positioner, popup }}
        button={<bdi>{words}</bdi>}
      >
        {children}
      </Popover>
      {isSet && onClear && (
        <button
          type="button"
          className={styles.clear}
          aria-label={text.frame.removeFilter(title)}
          onClick={onClear}
        >
          ×
        </button>
      )}
    </span>
  )
}

export type Option = readonly [value: string | undefined, title: string]

/** Lists with more entries than this get a search field. */
const LONG = 8
const MAX_SHOWN = 50

type OptionsProps = {
  readonly options: readonly Option[]
  readonly value: string | undefined
  readonly onChoose: (value: string | undefined) => void
}

export function Options({ options, value, onChoose }: OptionsProps) {
  const [typed, setTyped] = useState('')
  const found = options.filter(([, title]) => title.toLowerCase().includes(typed.trim().toLowerCase()))
  return (
    <div className="stack tight">
      {options.length > LONG && (
        <Field
          label={text.logs.findOption}
          type="search"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <ul className={styles.options}>
        {found.slice(0, MAX_SHOWN).map(([each, title]) => (
          <li key={each ?? ''}>
            <button
              type="button"
              className="quiet"
              aria-pressed={each === value}
              onClick={() => onChoose(each)}
            >
              <bdi>{title}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="hint">{text.frame.nothingFound}</p>}
    </div>
  )
}

type TypedProps = {
  readonly label: string
  readonly value: string
  readonly inputMode?: 'numeric'
  readonly onApply: (value: string | undefined) => void
}

export function Typed({ label, value, inputMode, onApply }: TypedProps) {
  const [typed, setTyped] = useState(value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onApply(typed.trim() || undefined)
  }
  return (
    <form className="stack tight" onSubmit={submit}>
      <Field
        label={label}
        autoComplete="off"
        {...(inputMode && { inputMode })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <button type="submit" className="main">
        {text.frame.applyFilter}
      </button>
    </form>
  )
}
