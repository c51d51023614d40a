/** A color that can be typed or picked. */
import { useId } from 'react'
import { text } from '../../messages/text.ts'
import styles from './color-field.module.css'
import { About, describedBy } from './field.tsx'

/** Shown while there is no color, because color inputs cannot be empty. */
const NONE = '#1f5fd0'
const WHOLE = /^#[0-9a-fA-F]{6}$/

type Props = {
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

export function ColorField({ label, hint, error, value, onChange }: Props) {
  const id = useId()
  const color = value.trim()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className={styles.color}>
        <input
          type="color"
          aria-label={text.settings.pickColor}
          value={WHOLE.test(color) ? color.toLowerCase() : NONE}
          onChange={(event) => onChange(event.target.value)}
        />
        <input
          id={id}
          {...describedBy(id, hint, error)}
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      <About id={id} hint={hint} error={error} />
    </div>
  )
}
