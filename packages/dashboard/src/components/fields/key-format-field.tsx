/** The format of new keys, with a live example. */
import { type InputHTMLAttributes, useMemo } from 'react'
import { previewOf } from '../../lib/key-formats.ts'
import { text } from '../../messages/text.ts'
import { Field } from './field.tsx'
import styles from './key-format-field.module.css'

type Props = {
  readonly label: string
  readonly hint: string
  readonly typed: string
  readonly error: string | undefined
} & Omit<InputHTMLAttributes<HTMLInputElement>, 'maxLength' | 'value'>

export function KeyFormatField({ hint, typed, ...rest }: Props) {
  const preview = useMemo(() => previewOf(typed), [typed])
  return (
    <Field
      hint={
        <>
          {hint}
          {preview && (
            <>
              <br />
              {'error' in preview ? preview.error : <Example of={preview.example} />}
            </>
          )}
        </>
      }
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      {...rest}
    />
  )
}

function Example({ of }: { of: string }) {
  return (
    <>
      {text.keyFormats.example} <code>{of}</code>
    </>
  )
}

/** The key format for a single call. It is rarely needed, so it is collapsed unless it has an error. */
export function OwnKeyFormat({ error, ...rest }: Omit<Props, 'label' | 'hint'>) {
  const t = text.keyFormats
  return (
    <details className={styles.own} open={error !== undefined || undefined}>
      <summary>{t.own}</summary>
      <KeyFormatField label={t.ownLabel} hint={t.ownHint} error={error} {...rest} />
    </details>
  )
}
