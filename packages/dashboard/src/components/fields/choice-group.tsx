import { type ReactNode, useId } from 'react'

type Props = {
  readonly legend: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly children: ReactNode
}

export function ChoiceGroup({ legend, hint, error, children }: Props) {
  const id = useId()
  return (
    <fieldset aria-describedby={error === undefined ? undefined : id}>
      <legend>{legend}</legend>
      <div className="stack tight">
        {error !== undefined && (
          <p className="field-error" role="alert" id={id}>
            {error}
          </p>
        )}
        {hint !== undefined && <p className="hint">{hint}</p>}
        {children}
      </div>
    </fieldset>
  )
}

type CheckProps = {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (isChecked: boolean) => void
  /** Radio buttons of one group share this name. */
  readonly radio?: string
}

export function Check({ label, hint, radio, onChange, ...rest }: CheckProps) {
  return (
    <label className="check">
      <input
        type={radio === undefined ? 'checkbox' : 'radio'}
        name={radio}
        onChange={(event) => onChange(event.target.checked)}
        {...rest}
      />
      <span>
        {label}
        {hint !== undefined && <span className="hint">{hint}</span>}
      </span>
    </label>
  )
}
