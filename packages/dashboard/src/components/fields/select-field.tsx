import { type ReactNode, type SelectHTMLAttributes, useId } from 'react'
import { About, describedBy } from './field.tsx'

type Props = {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly options: readonly (readonly [value: string, title: string])[]
} & SelectHTMLAttributes<HTMLSelectElement>

export function SelectField({ label, hint, error, options, ...rest }: Props) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} {...describedBy(id, hint, error)} {...rest}>
        {options.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
      <About id={id} hint={hint} error={error} />
    </div>
  )
}
