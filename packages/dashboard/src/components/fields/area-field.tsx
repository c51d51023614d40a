import { useId } from 'react'

type Props = {
  readonly label: string
  readonly hint: string
  readonly error?: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

export function AreaField({ label, hint, error, value, onChange }: Props) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? `${id}-hint` : `${id}-error ${id}-hint`}
      />
      {error !== undefined && (
        <p className="field-error" role="alert" id={`${id}-error`}>
          {error}
        </p>
      )}
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}
