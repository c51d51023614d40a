/** Field that limits a variable or announcement to selected scripts or plans. */
import { Check, ChoiceGroup } from '../../components/fields/choice-group.tsx'
import styles from '../plans/plans.module.css'
import type { Limit } from './draft.ts'

type Props = {
  readonly legend: string
  readonly all: string
  readonly some: string
  readonly none: string
  /** Names by ID. */
  readonly names: ReadonlyMap<string, string>
  readonly chosen: Limit
  readonly error?: string | undefined
  readonly onChange: (chosen: Limit) => void
}

export function LimitField({ legend, all, some, none, names, chosen, error, onChange }: Props) {
  const given = chosen ?? []
  const ids = [...new Set([...names.keys(), ...given])]
  const toggle = (id: string, is: boolean) =>
    onChange(is ? [...given, id] : given.filter((each) => each !== id))
  return (
    <ChoiceGroup legend={legend} error={error}>
      <Check radio={legend} label={all} checked={chosen === null} onChange={() => onChange(null)} />
      <Check radio={legend} label={some} checked={chosen !== null} onChange={() => onChange(given)} />
      {chosen !== null && ids.length === 0 && <p className="hint">{none}</p>}
      {chosen !== null && ids.length > 0 && (
        <ul className={styles.scripts}>
          {ids.map((id) => (
            <li key={id}>
              <Check
                label={names.get(id) ?? id}
                checked={given.includes(id)}
                onChange={(is) => toggle(id, is)}
              />
            </li>
          ))}
        </ul>
      )}
    </ChoiceGroup>
  )
}
