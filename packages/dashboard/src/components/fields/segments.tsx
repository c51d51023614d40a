/** A segmented control for a few options, such as the period of a chart. */
import styles from './segments.module.css'

type Props<Id extends string> = {
  readonly label: string
  readonly options: readonly (readonly [Id, string])[]
  readonly chosen: Id
  readonly onChoose: (id: Id) => void
}

export function Segments<Id extends string>({ label, options, chosen, onChoose }: Props<Id>) {
  return (
    <fieldset className={styles.segments} aria-label={label}>
      {options.map(([id, title]) => (
        <button key={id} type="button" aria-pressed={id === chosen} onClick={() => onChoose(id)}>
          {title}
        </button>
      ))}
    </fieldset>
  )
}
