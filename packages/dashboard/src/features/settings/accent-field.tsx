/** A color, typed or picked. */
import { useId } from 'react'
import { useFormContext } from 'react-hook-form'
import { About, describedBy } from '../../components/fields/field.tsx'
import { text } from '../../messages/text.ts'
import type { Draft } from './branding-draft.ts'
import styles from './settings.module.css'

/** Shown while there is no color, because color inputs cannot be empty. */
const NONE = '#1f5fd0'
const WHOLE = /^#[0-9a-fA-F]{6}$/

export function AccentField({ error }: { error: string | undefined }) {
  const id = useId()
  const { register, watch, setValue } = useFormContext<Draft>()
  const accent = watch('accent').trim()
  return (
    <div className="field">
      <label htmlFor={id}>{text.settings.accent}</label>
      <div className={styles.colour}>
        <input
          type="color"
          aria-label={text.settings.pickColour}
          value={WHOLE.test(accent) ? accent.toLowerCase() : NONE}
          onChange={(event) => setValue('accent', event.target.value, { shouldDirty: true })}
        />
        <input
          id={id}
          {...describedBy(id, text.settings.accentHint, error)}
          spellCheck={false}
          autoComplete="off"
          {...register('accent')}
        />
      </div>
      <About id={id} hint={text.settings.accentHint} error={error} />
    </div>
  )
}
